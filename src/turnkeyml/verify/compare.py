"""Does the built model still compute the same thing?

Errors are judged against the size of the output they are in, so that a model whose outputs are
tiny is held to the same standard as any other. The rules, in order:

* ``match``: every number within the tolerance of the precision, or no further from a more exact
  computation than the original itself is in that precision, give or take a small factor;
* ``close``: not so, but of the same direction (cosine of at least 0.99) and size (within a tenth),
  which is weaker evidence;
* ``mismatch``: neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnkeyml.errors import describe
from turnkeyml.nouns import Verification
from turnkeyml.verify.reference import Outputs, Reference, as_numbers

__all__ = ["GOOD_ENOUGH", "TOLERANCE", "UNSTEADY", "compare", "rank", "verify_onnx"]

TOLERANCE = {"fp32": 1e-4, "fp16": 1e-2, "bf16": 4e-2}
ALLOWED_FACTOR = {"fp32": 2.0, "fp16": 3.0, "bf16": 3.0}
TORCH_DTYPE = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
MORE_EXACT = {"fp32": "fp64", "fp16": "fp32", "bf16": "fp32"}
UNSTEADY = "the original itself gives other results in"
COSINE = 0.99
SIZE = 0.1
AGREEMENT = 0.99


_RANK = {"match": 0, "nondeterministic": 1, "close": 2, "mismatch": 3, "not checked": 4}

GOOD_ENOUGH = _RANK["nondeterministic"]
"""A verdict of this rank is not to be bettered."""


def rank(verdict: Verification) -> int:
    """The smaller, the better."""
    return _RANK[verdict.verdict]


def verify_onnx(path: str, reference: Reference, precision: str, threads: int) -> Verification:
    """Run an ONNX file on the recorded inputs and compare it with the original."""
    from turnkeyml.runtimes.ort_session import OrtSession

    try:
        outputs = OrtSession(path, reference.inputs, threads).outputs()
    except Exception as error:  # noqa: BLE001 - whatever stops it, the verdict says so
        return Verification("not checked", f"ONNX Runtime cannot run it: {describe(error)}")
    return compare(outputs, reference, precision)


def compare(outputs: Outputs, reference: Reference, precision: str) -> Verification:
    """The verdict on a set of outputs."""
    golden = as_numbers(reference.outputs)
    found = _complex_again(as_numbers(outputs), golden)
    shapes = [a.shape for a in golden], [a.shape for a in found]
    if shapes[0] != shapes[1]:
        return Verification("mismatch", f"the shapes differ: {shapes[1]} instead of {shapes[0]}")
    if not golden:
        return Verification("not checked", "the model returns no tensor")
    errors = [
        _Error.between(a, g, TOLERANCE[precision]) for a, g in zip(found, golden, strict=True)
    ]
    verdict, reason = _judge(errors, found, reference, precision)
    return Verification(
        verdict,
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
) -> tuple[str, str]:
    tolerance = f"{TOLERANCE[precision]:g} ({precision})"
    if all(e.within for e in errors):
        return "match", f"every output within {tolerance}"
    if not reference.deterministic:
        return "nondeterministic", "the original itself gives other results when it is run again"
    if any(e.not_finite for e in errors):
        return "mismatch", "not a finite number where the original has one"
    if _as_exact_as_original(found, reference, precision):
        factor = ALLOWED_FACTOR[precision]
        return "match", (
            f"at most {factor:g} times as far from the original in {MORE_EXACT[precision]}"
            f" as the original in {precision}"
        )
    if all(e.similar for e in errors):
        return "close", f"beyond {tolerance}, but of the same direction and size (weaker evidence)"
    if _is_unsteady(reference, precision):
        other = MORE_EXACT["fp32"] if precision == "fp32" else precision
        return "mismatch", f"beyond {tolerance}; {UNSTEADY} {other}"
    return "mismatch", f"beyond {tolerance}"


@dataclass(frozen=True)
class _Error:
    """How far one output is from its golden counterpart."""

    absolute: float
    relative: float
    cosine: float
    within: bool
    not_finite: bool = False
    agreement: float = 1.0
    size: float = 1.0
    """The size of the output relative to that of the golden one."""

    @property
    def similar(self) -> bool:
        same_size = 1 - SIZE <= self.size <= 1 + SIZE
        return self.cosine >= COSINE and self.agreement >= AGREEMENT and same_size

    @classmethod
    def between(cls, array: np.ndarray, golden: np.ndarray, tolerance: float) -> _Error:
        if golden.size == 0:
            return cls(0.0, 0.0, 1.0, True)
        if golden.dtype.kind == "b":
            return cls._of_masks(array.astype(bool), golden)
        if golden.dtype.kind in "iu":
            return cls._of_integers(array, golden)
        return cls._of_floats(array, golden, tolerance)

    @classmethod
    def _of_masks(cls, array: np.ndarray, golden: np.ndarray) -> _Error:
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
            size=float(np.linalg.norm(a[both]) / (np.linalg.norm(g[both]) or scale)),
        )


def _cosine(array: np.ndarray, golden: np.ndarray) -> float:
    wide = np.complex128 if golden.dtype.kind == "c" else np.float64
    a, g = array.astype(wide).ravel(), golden.astype(wide).ravel()
    norm = float(np.linalg.norm(a) * np.linalg.norm(g))
    if norm == 0:
        return 1.0 if np.array_equal(a, g) else 0.0
    return min(1.0, float(np.vdot(g, a).real) / norm)


def _as_exact_as_original(found: list[np.ndarray], reference: Reference, precision: str) -> bool:
    """Whether the build is no further from a more exact computation than the original may be.

    An original that is far off itself proves nothing.
    """
    factor = ALLOWED_FACTOR[precision]
    pairs = _original_and_exact(reference, precision)
    return (
        bool(pairs)
        and not _is_unsteady(reference, precision)
        and all(
            _distance(a, e) <= factor * _distance(o, e) + 1e-12
            for a, (o, e) in zip(found, pairs, strict=True)
        )
    )


def _is_unsteady(reference: Reference, precision: str) -> bool:
    """Whether the original itself is far from a more exact computation."""
    return any(
        _distance(o, e) > SIZE * _distance(e, np.zeros_like(e)) + 1e-12
        for o, e in _original_and_exact(reference, precision)
    )


def _original_and_exact(
    reference: Reference, precision: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The original's outputs in a precision and in a more exact one; none if they cannot be had."""
    exact = reference.in_precision(TORCH_DTYPE[MORE_EXACT[precision]])
    original = reference.in_precision(TORCH_DTYPE[precision])
    if exact is None or original is None or len(exact) != len(original):
        return []
    return list(zip(as_numbers(original), as_numbers(exact), strict=True))


def _distance(array: np.ndarray, exact: np.ndarray) -> float:
    """The root mean square of the difference; infinite where a number is missing."""
    if array.shape != exact.shape:
        return float("inf")
    difference = array.astype(np.float64) - exact.astype(np.float64)
    value = float(np.sqrt(np.mean(difference**2))) if difference.size else 0.0
    return value if np.isfinite(value) else float("inf")
