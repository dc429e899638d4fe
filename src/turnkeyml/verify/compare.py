"""Do some outputs agree with the original's?

Errors are judged against the magnitude of the output they are in, so that a model whose outputs are
tiny is held to the same standard as any other. The rules, in order:

* ``match``: every number is within the tolerance of the precision, or no further from a more exact
  computation than the original itself is in that precision, give or take a small factor;
* ``close``: not so, but of the same direction (cosine of at least 0.99) and magnitude (within 10%),
  which is weaker evidence;
* ``mismatch``: neither.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from turnkeyml.cache.arrays import widened
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify.reference import Outputs, Reference

__all__ = ["TOLERANCE", "compare"]

TOLERANCE = {"fp64": 1e-4, "fp32": 1e-4, "fp16": 1e-2, "bf16": 4e-2}
ALLOWED_FACTOR = {"fp64": 2.0, "fp32": 2.0, "fp16": 3.0, "bf16": 3.0}
MORE_EXACT = {"fp64": "fp64", "fp32": "fp64", "fp16": "fp32", "bf16": "fp32"}
COSINE = 0.99
MAGNITUDE = 0.1
"""How far the magnitude of an output may be off if it is to be called close."""
AGREEMENT = 0.99
"""The share of booleans or integers that must be the same."""


def compare(outputs: Outputs, reference: Reference, precision: str) -> Verification:
    """The verdict on what was computed in a precision."""
    found = _against(reference.outputs, outputs, reference, precision)
    if found.trusted or reference.verified is None:
        return found
    built = _against(
        reference.verified, outputs, Reference(reference.inputs, reference.verified), precision
    )
    if built.verdict is not Verdict.MATCH:
        return found
    reason = f"computes the same as the build, each of whose subgraphs matches; {found.reason}"
    return replace(found, verdict=Verdict.MATCH, cause=Cause.IN_PARTS, reason=reason)


def _against(
    expected: Outputs, outputs: Outputs, reference: Reference, precision: str
) -> Verification:
    golden = widened(expected)
    found = _complex_again(widened(outputs), golden)
    shapes = [a.shape for a in golden], [a.shape for a in found]
    if shapes[0] != shapes[1]:
        return Verification(
            Verdict.MISMATCH,
            Cause.OTHER_SHAPES,
            f"the shapes differ: {shapes[1]} instead of {shapes[0]}",
        )
    if not golden:
        return Verification(
            Verdict.NOT_CHECKED, Cause.NO_OUTPUT, "the model returns no tensor to compare"
        )
    errors = [
        _Error.between(a, g, TOLERANCE[precision]) for a, g in zip(found, golden, strict=True)
    ]
    verdict, cause, reason = _judge(errors, found, reference, precision)
    return Verification(
        verdict,
        cause,
        reason,
        max_absolute_error=max(e.absolute for e in errors),
        max_relative_error=max(e.relative for e in errors),
        cosine=min(e.cosine for e in errors),
    )


def _complex_again(found: list[np.ndarray], golden: list[np.ndarray]) -> list[np.ndarray]:
    """ONNX has no complex numbers; exporters write them as pairs of real ones."""
    return (
        [
            a[..., 0] + 1j * a[..., 1] if g.dtype.kind == "c" and a.shape == (*g.shape, 2) else a
            for a, g in zip(found, golden, strict=True)
        ]
        if len(found) == len(golden)
        else found
    )


def _judge(
    errors: list[_Error], found: list[np.ndarray], reference: Reference, precision: str
) -> tuple[Verdict, Cause, str]:
    tolerance = f"{TOLERANCE[precision]:g} ({precision})"
    if all(e.within for e in errors):
        return Verdict.MATCH, Cause.WITHIN_TOLERANCE, f"every output within {tolerance}"
    if not reference.deterministic:
        return (
            Verdict.NONDETERMINISTIC,
            Cause.ORIGINAL_RANDOM,
            "the original itself gives other results when it is run again",
        )
    if any(e.not_finite for e in errors):
        return (
            Verdict.MISMATCH,
            Cause.NOT_FINITE,
            "infinite or NaN where the original has a finite number",
        )
    unstable = _is_unstable(reference, precision)
    if not unstable and _as_exact_as_original(found, reference, precision):
        factor = ALLOWED_FACTOR[precision]
        return (
            Verdict.MATCH,
            Cause.AS_EXACT_AS_ORIGINAL,
            f"at most {factor:g} times as far from the original in {MORE_EXACT[precision]}"
            f" as the original in {precision}",
        )
    if all(e.similar for e in errors):
        return (
            Verdict.CLOSE,
            Cause.SAME_DIRECTION,
            f"beyond {tolerance}, but of the same direction and magnitude (weaker evidence)",
        )
    if unstable:
        other = MORE_EXACT["fp32"] if precision == "fp32" else precision
        reason = f"beyond {tolerance}; the original itself gives other results in {other}"
        return Verdict.MISMATCH, Cause.ORIGINAL_UNSTABLE, reason
    return Verdict.MISMATCH, Cause.BEYOND_TOLERANCE, f"beyond {tolerance}"


@dataclass(frozen=True)
class _Error:
    """How far one output is from its golden counterpart."""

    absolute: float
    relative: float
    cosine: float
    within: bool
    not_finite: bool = False
    agreement: float = 1.0
    magnitude: float = 1.0
    """The norm of the output relative to that of the golden one."""

    @property
    def similar(self) -> bool:
        same_magnitude = 1 - MAGNITUDE <= self.magnitude <= 1 + MAGNITUDE
        return self.cosine >= COSINE and self.agreement >= AGREEMENT and same_magnitude

    @classmethod
    def between(cls, array: np.ndarray, golden: np.ndarray, tolerance: float) -> _Error:
        if golden.size == 0:
            return cls(0.0, 0.0, 1.0, True)
        if golden.dtype.kind == "b":
            return cls._of_booleans(array.astype(bool), golden)
        if golden.dtype.kind in "iu":
            return cls._of_integers(array, golden)
        if golden.dtype.kind not in "fc":
            return cls._of_strings(array, golden)
        return cls._of_floats(array, golden, tolerance)

    @classmethod
    def _of_booleans(cls, array: np.ndarray, golden: np.ndarray) -> _Error:
        union = np.count_nonzero(array | golden)
        overlap = np.count_nonzero(array & golden) / union if union else 1.0
        wrong = float(np.any(array != golden))
        return cls(wrong, wrong, overlap, overlap >= AGREEMENT, agreement=overlap)

    @classmethod
    def _of_integers(cls, array: np.ndarray, golden: np.ndarray) -> _Error:
        difference = np.abs(array.astype(np.float64) - golden.astype(np.float64))
        absolute = float(difference.max())
        agreement = float(np.mean(difference == 0))
        scale = float(np.abs(golden.astype(np.float64)).max()) or 1.0
        return cls(
            absolute, absolute / scale, _cosine(array, golden), absolute == 0, agreement=agreement
        )

    @classmethod
    def _of_strings(cls, array: np.ndarray, golden: np.ndarray) -> _Error:
        same = float(np.mean(array.astype(str) == golden.astype(str)))
        return cls(1 - same, 1 - same, same, same == 1.0, agreement=same)

    @classmethod
    def _of_floats(cls, array: np.ndarray, golden: np.ndarray, tolerance: float) -> _Error:
        wide = np.complex128 if golden.dtype.kind == "c" else np.float64
        a, g = array.astype(wide), golden.astype(wide)
        finite = np.isfinite(g)
        lost = bool(np.any(~np.isfinite(a) & finite))
        same_elsewhere = np.array_equal(a[~finite], g[~finite], equal_nan=True)
        both = finite & np.isfinite(a)
        difference = np.abs(a[both] - g[both])
        magnitude = np.abs(g[both])
        if difference.size == 0:
            return cls(0.0, 0.0, 1.0, same_elsewhere and not lost, not_finite=lost)
        scale = max(float(np.sqrt(np.mean(magnitude**2))), 1e-6)
        within = bool(np.all(difference <= tolerance * (magnitude + scale)))
        absolute = float(difference.max())
        return cls(
            absolute,
            absolute / (float(magnitude.max()) or scale),
            _cosine(a[both], g[both]),
            within and same_elsewhere and not lost,
            not_finite=lost,
            magnitude=float(np.linalg.norm(a[both]) / (np.linalg.norm(g[both]) or scale)),
        )


def _cosine(array: np.ndarray, golden: np.ndarray) -> float:
    wide = np.complex128 if golden.dtype.kind == "c" else np.float64
    a, g = array.astype(wide).ravel(), golden.astype(wide).ravel()
    norm = float(np.linalg.norm(a) * np.linalg.norm(g))
    if norm == 0:
        return 1.0 if np.array_equal(a, g) else 0.0
    return min(1.0, float(np.vdot(g, a).real) / norm)


def _as_exact_as_original(found: list[np.ndarray], reference: Reference, precision: str) -> bool:
    """Whether the build is no further from a more exact computation than the original may be."""
    factor = ALLOWED_FACTOR[precision]
    pairs = _original_and_exact(reference, precision)
    return bool(pairs) and all(
        _distance(a, e) <= factor * _distance(o, e) + 1e-12
        for a, (o, e) in zip(found, pairs, strict=True)
    )


def _is_unstable(reference: Reference, precision: str) -> bool:
    """Whether the original itself is far from a more exact computation; then it proves nothing."""
    return any(
        _distance(o, e) > MAGNITUDE * _distance(e, np.zeros_like(e)) + 1e-12
        for o, e in _original_and_exact(reference, precision)
    )


def _original_and_exact(
    reference: Reference, precision: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The original's outputs in a precision and in a more exact one; none if they cannot be had."""
    exact = reference.in_precision(MORE_EXACT[precision])
    original = reference.in_precision(precision)
    if exact is None or original is None or len(exact) != len(original):
        return []
    return list(zip(widened(original), widened(exact), strict=True))


def _distance(array: np.ndarray, exact: np.ndarray) -> float:
    """The root mean square of the difference; infinite where a number is missing."""
    if array.shape != exact.shape or array.dtype.kind not in "biufc":
        return float("inf")
    difference = array.astype(np.float64) - exact.astype(np.float64)
    value = float(np.sqrt(np.mean(difference**2))) if difference.size else 0.0
    return value if np.isfinite(value) else float("inf")
