"""What may be expected of a precision."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Rules:
    """How exact an output in a precision must be."""

    tight: float
    """Errors up to this share of a number and of its group's magnitude need no explanation, if
    their root mean square is at most half as large."""
    loose: float
    """The same where the original cannot be computed more exactly; of the whole output."""
    factor: float
    """How much further than the original a build may be from a more exact computation."""
    unit: float
    """The largest relative error of rounding a number once."""
    more_exact: str | None
    """The precision of that computation; None if there is none."""
    largest: float = float("inf")
    """Sentinels beyond this may become any other sentinel of the same sign."""
    flips: float = 0.0
    """The share of booleans that rounding may turn."""
    original_in: str = ""
    """The precision in which the original is computed to see how exact it is; if empty, that of
    the build."""

    def relaxed(self, times: float) -> Rules:
        """Rules that allow so many times the errors."""
        return replace(
            self, tight=times * self.tight, loose=times * self.loose, factor=times * self.factor
        )


_FP16 = Rules(
    tight=1e-3, loose=1e-2, factor=4, unit=5e-4, more_exact="fp32", largest=3e4, flips=5e-4
)

RULES = {
    "fp64": Rules(tight=1e-5, loose=1e-4, factor=3, unit=6e-8, more_exact=None),
    "fp32": Rules(tight=1e-5, loose=1e-4, factor=3, unit=6e-8, more_exact="fp64"),
    "fp16": _FP16,
    "bf16": Rules(tight=8e-3, loose=4e-2, factor=4, unit=4e-3, more_exact="fp32", flips=4e-3),
    # A GPU may round the factors of fp32 products to the digits of fp16.
    "tf32": replace(_FP16, largest=float("inf"), original_in="fp16"),
    # Part of a mixed file computes in fp16. An int8 file gets no more than that: quantization loses
    # digits that the original has, so that at best it is close to a model of another precision.
    "mixed": replace(_FP16, original_in="fp16"),
    "int8": replace(_FP16, original_in="fp16"),
}
TOLERANCE = {precision: rules.loose for precision, rules in RULES.items()}


def loosest(*precisions: str) -> str:
    """The one of some precisions of which the least may be expected."""
    return max(precisions, key=lambda precision: RULES[precision].loose)


def reach_in(precision: str) -> str:
    """The name under which a reference knows where rounding may take its outputs."""
    return f"{precision}_reach"
