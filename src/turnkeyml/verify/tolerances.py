"""Every number that decides a verdict, with its unit and what it is for.

How exact an output must be in each precision comes first, then what the verdict on several sets of
inputs depends on, then the rules for a single output. How exact single operators can be is in
``rounding.FLOORS``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

UNIT = 2.0**-24
"""Rounding of 1 in fp32."""


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
"""The rules of each precision."""


def loosest(*precisions: str) -> str:
    """The one of some precisions of which the least may be expected."""
    return max(precisions, key=lambda precision: RULES[precision].loose)


MOST_TIMES_ROUNDING = 10
"""Times the largest relative error on the recorded inputs: rounding explains as much on held-out
ones."""
MOST_CLOSE = 3
"""Held-out sets: so many that are all only close are no accident of ill-conditioned inputs."""
MOST_CLOSE_UNKNOWN = 2
"""Held-out sets: the same where it is not known how exact the original is, as of an ONNX file. They
had the looser tolerance already."""
ALIKE_OUTPUTS = 10
"""Times as large or as small as on the recorded inputs: within it, the rounding of outputs is
alike."""
ALIKE_INPUTS = 1.5
"""Times as large or as small as the largest recorded number: within it, float inputs are of the
same magnitude."""

COSINE = 0.99
"""Cosine of an output and the original's that what matches, or is close, has at least."""
CLOSE_MAGNITUDE = 0.1
"""Share of the magnitude of the original's output that a close one may be off by."""
AGREEMENT = 0.99
"""Share of booleans or integers that must be the same."""

FAR_BEYOND = 3
"""Times the errors that rounding explains: more is far beyond it."""
OWN_FUNCTION_UNITS = 4
"""Roundings of the largest number of an output that a runtime's own function may be off by: ONNX
Runtime's sigmoid of -14 is."""
BARELY_OFF = 1e-4
"""Share of the magnitude of each group that is more than rounding and too little for another
decision."""
MOST_OWN_ERROR = 0.1
"""Share of its own magnitude: an original that is further off than this proves nothing."""
LEAST_OF_ZEROS = 1e-6
"""The largest number that an output of zeros is taken to have, for its relative error."""

MOST_OWN_TURNED = 0.1
"""Share of its own decisions: an original that turns more of them proves nothing."""
MOST_TIMES_OWN = 4
"""Times as many decisions as the original that a build may turn in one row or channel."""
LONGEST_RANKING = 4096
"""Ranks: longer rankings are not judged by their scores."""
ENOUGH_LEVELS = 8
"""Turned decisions from which on it is no accident that all of them went to a neighbor."""

SENTINEL_GAP = 20.0
"""Times as large as every other number that a sentinel is at least."""
LEAST_SENTINEL = 1e3
"""Magnitude: smaller numbers are no sentinels. The one probability near 1 among tiny ones is a
result."""
SENTINEL_WIDTH = 0.02
"""Share by which sentinels of one kind may differ, because a logit was added to each of them."""
SENTINEL_KINDS = 4
"""Kinds of sentinels that are looked for: two masks that are added give a third value."""

SAME_ORDER = 10.0
"""Factor: slices whose magnitudes differ by less are judged together."""
LEAST_IN_GROUP = 8
"""Numbers that a group has at least; fewer join the next larger magnitude."""
LEAST_IN_SLICE = 4
"""Numbers that a slice has at least where single numbers are not to be told apart."""
LEAST_IN_SUBGROUP = 32
"""Numbers that a group has at least that is divided along a second axis: many small groups would be
many chances to be unlucky."""
MINOR_UNITS = 8
"""Roundings of the largest numbers that a few smaller ones may be off by."""
CONSTANT_SLICE = 1e-3
"""Share of itself: a slice that varies by less, and by less than a few roundings of the output, is
one number that occurs many times."""
MOSTLY_ZERO = 0.9
"""Share of zeros: of outputs with more, such as masks of small objects in a large image, the zeros
are no part of the magnitude."""
LEAST_GROUP_MAGNITUDE = 1e-15
"""Share of the magnitude of the output that a group is taken to have at least: zeros have none."""

TYPICAL_SHARE = 4.0
"""Times the root mean square of the errors of many numbers that the largest error is."""
SATURATED_FLOORS = 4.0
"""Floors from the end of the range, within which a number says nothing but that it is there."""
NEAR_END = 1e-3
"""Distance from the ends of its range: a function that has numbers so near to both saturates."""
ROW_SUMS = 1e-5
"""Distance from 1 that the sums of the rows of a Softmax may have."""

JUMP = 8
"""Times as far as the median, and as the tight tolerance, that a number moves that jumps."""
MOST_JUMPING = 0.5
"""Share of numbers: if more jump, nothing can be told apart."""
MOST_BETWEEN = 0.25
"""Numbers that nearly jump, as a share of those that do, where decisions make them jump."""
MOST_LOST = 0.1
"""Numbers that may become NaN, infinite, or a mask value, or picks that vary, as a share of all."""
MOST_STRAY = 0.05
"""Jumps at other places, as a share of the places where the original jumps, or of the decisions
that a build turns: the original was not run often enough to see all."""

RANDOM_MARGIN = 2.0
"""Times as far from the runs of a random original as any of these that a build may be."""
RANDOM_SPREAD = 3.0
"""Times as much as a random original that a build may vary."""
RANDOM_TURN, RANDOM_TURN_SLACK = 3.0, 0.1
"""Times one minus the cosine of a random original's runs, and what it may be in any case."""
RANDOM_SLACK = 0.03
"""Share of its magnitude that a random output may be off by at least: what happens rarely may not
have happened in the runs that we know."""
