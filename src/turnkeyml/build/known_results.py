"""What the original computed inside, which can be looked up by its numbers."""

from __future__ import annotations

import itertools

import numpy as np

from turnkeyml.nouns import Verdict
from turnkeyml.verify import InnerResult, Reference, compare

SAMPLED = 64
"""How many numbers are looked at to find the result that a value may be."""

SAMPLE_NEAR = 0.01
"""How far these may be off, relative to their sum, for all of the numbers to be compared."""

RESULTS_TRIED = 3
"""How many of the most similar results a value is compared with."""

Dims = list[int | None]
"""The dimensions of a value; None for those that the file does not say."""


class Results:
    """The results of the submodules of the original, which can be looked up by their numbers."""

    def __init__(self, results: list[InnerResult]) -> None:
        self._by_shape: dict[tuple[int, ...], list[InnerResult]] = {}
        for result in results:
            self._by_shape.setdefault(result.array.shape, []).append(result)
        self._samples = {
            shape: np.stack([_sample(result.array) for result in found])
            for shape, found in self._by_shape.items()
        }

    def of_shape(self, shape: tuple[int, ...]) -> list[InnerResult]:
        return self._by_shape.get(shape, [])

    def lists(self) -> list[InnerResult]:
        """The lists of integers, such as which boxes are kept."""
        found = itertools.chain.from_iterable(self._by_shape.values())
        return [r for r in found if r.array.ndim == 1 and r.array.dtype.kind == "i"]

    def shapes_like(self, dims: Dims) -> list[tuple[int, ...]]:
        """The shapes of results of which some dimensions are given."""
        return [
            shape
            for shape in self._by_shape
            if len(shape) == len(dims)
            and all(dim in (None, n) for dim, n in zip(dims, shape, strict=True))
        ]

    def same(self, array: np.ndarray, precision: str) -> InnerResult | None:
        """The result that an array of floats matches, if there is one."""
        results = self._by_shape.get(array.shape, [])
        if not results or array.dtype.kind != "f":
            return None
        sample = _sample(array)
        far = np.abs(self._samples[array.shape] - sample).sum(axis=1)
        near = SAMPLE_NEAR * np.abs(sample).sum()
        for index in [i for i in np.argsort(far)[:RESULTS_TRIED] if far[i] <= near]:
            result = results[index]
            if _is_same(array, result.array, precision):
                return InnerResult(result.module, result.array.astype(array.dtype))
        return None


def _is_same(array: np.ndarray, result: np.ndarray, precision: str) -> bool:
    if result.dtype.kind != "f":
        return False
    found = compare({"value": array}, Reference({}, {"value": result}), precision)
    return found.verdict is Verdict.MATCH


def _sample(array: np.ndarray) -> np.ndarray:
    """Some numbers of an array, spread over it."""
    places = np.linspace(0, array.size - 1, SAMPLED).astype(int)
    numbers = np.clip(np.nan_to_num(array.reshape(-1)[places].astype(float)), -1e30, 1e30)
    return np.asarray(numbers)
