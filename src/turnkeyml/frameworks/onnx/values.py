"""Made-up values for the inputs of an ONNX file that are valid for its graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml.frameworks.onnx.graph import Graph, Use

COUNT = 8
"""The value of an input that says how often something happens, or how much of it there is."""

_TABLES: dict[tuple[str, int], tuple[int, int | None]] = {
    ("Gather", 1): (0, None),
    ("GatherElements", 1): (0, None),
    ("ScatterElements", 1): (0, None),
    ("GatherBlockQuantized", 1): (0, None),
    ("EmbedLayerNormalization", 0): (2, 0),
    ("EmbedLayerNormalization", 1): (4, 0),
    ("EmbedLayerNormalization", 8): (3, 0),
    ("ArrayFeatureExtractor", 1): (0, -1),
}
"""Operands that hold indices: the operand that they index, and along which axis of it; None for
that of the attribute."""

_FIXED: dict[tuple[str, int], tuple[int, int]] = {
    ("Loop", 0): (1, COUNT),
    ("Range", 0): (0, 0),
    ("Range", 1): (1, COUNT),
    ("Range", 2): (1, 1),
    ("TopK", 1): (1, 1),
    ("ConstantOfShape", 0): (1, COUNT),
    ("Expand", 1): (1, 1),
    ("Tile", 1): (1, 2),
    ("NonMaxSuppression", 2): (1, COUNT),
    ("Slice", 1): (0, 0),
    ("Slice", 2): (1, COUNT),
    ("Slice", 3): (0, 0),
    ("Slice", 4): (1, 1),
    ("Pad", 1): (0, 1),
    ("Trilu", 1): (0, 0),
    ("CumSum", 1): (0, 0),
    ("SequenceAt", 1): (0, 0),
    ("SequenceErase", 1): (0, 0),
    ("SequenceInsert", 2): (0, 0),
    ("Resize", 2): (1, 1),
    ("Upsample", 1): (1, 1),
    ("Div", 1): (1, 2),
    ("Mod", 1): (1, 2),
}
"""Operands that hold counts, sizes and positions, and values that are valid for any model."""

_FRACTIONS = {("NonMaxSuppression", 3), ("NonMaxSuppression", 4), ("Dropout", 1)}
"""Operands that hold a number between 0 and 1."""

_KEYS = {
    "OneHotEncoder": ("cats_int64s", "cats_strings"),
    "LabelEncoder": ("keys_int64s", "keys_strings", "keys_floats"),
    "CategoryMapper": ("cats_int64s", "cats_strings"),
    "DictVectorizer": ("int64_vocabulary", "string_vocabulary"),
    "TfIdfVectorizer": ("pool_int64s", "pool_strings"),
}
"""Operators that know a list of values, and the attributes that hold it."""

WORDS = ("a", "model", "is", "measured", "on", "some", "words", "here")
LENGTHS = ("length", "len", "size", "num", "count")


@dataclass(frozen=True)
class Range:
    """What the integers or strings of an input may be."""

    low: int = 0
    high: int = 1
    keys: tuple[Any, ...] = ()
    """The values to choose from, if there is a list of them."""
    is_known: bool = False
    """Whether an operator needs it to be so."""


def range_of(graph: Graph, uses: list[Use]) -> Range:
    """The integers that every use of an input accepts."""
    low, high, known = -math.inf, math.inf, False
    for use in uses:
        keys = _keys(use)
        if keys:
            return Range(keys=keys, is_known=True)
        bounds = _bounds(graph, use)
        if bounds is None or use.scale is None or use.scale == 0:
            continue
        known = True
        ends = sorted((bound - use.offset) / use.scale for bound in bounds)
        low, high = max(low, ends[0]), min(high, ends[1])
    if not known:
        return Range()
    highest = math.floor(high)
    lowest = max(math.ceil(low), min(0, highest))  # not negative, where it need not be
    return Range(lowest, max(lowest, highest), is_known=True)


def _bounds(graph: Graph, use: Use) -> tuple[float, float] | None:
    """The least and the greatest value of an operand; None if it may be any."""
    place = (use.operator, use.operand)
    if place in _FIXED:
        return _FIXED[place]
    if use.operator in ("LSTM", "GRU", "RNN") and use.operand == 4:
        return _lengths(graph, graph.operand(use, 0), int(use.attribute("layout", 0)))
    if use.operator == "ReverseSequence" and use.operand == 1:
        return _lengths(graph, graph.operand(use, 0), int(use.attribute("time_axis", 0)))
    if use.operator == "OneHot" and use.operand == 0:
        depth = graph.constant(graph.operand(use, 1))
        return (0, max(0, int(depth.ravel()[0]) - 1)) if depth is not None else (0, 0)
    if use.operator in ("GatherND", "ScatterND") and use.operand == 1:
        sizes = [n for n in graph.dims(graph.operand(use, 0)) or [] if n is not None]
        return 0, max(0, min(sizes, default=1) - 1)
    if place not in _TABLES:
        return None
    operand, axis = _TABLES[place]
    dims = graph.dims(graph.operand(use, operand))
    axis = int(use.attribute("axis", 0)) if axis is None else axis
    if not dims or not -len(dims) <= axis < len(dims) or dims[axis] is None:
        return 0, 0
    return 0, max(0, int(dims[axis] or 0) - 1)


def _lengths(graph: Graph, operand: str, axis: int) -> tuple[float, float]:
    dims = graph.dims(operand)
    size = dims[axis] if dims and axis < len(dims) else None
    return (size, size) if size else (1, 1)


def _keys(use: Use) -> tuple[Any, ...]:
    names = _KEYS.get(use.operator, ()) if use.operand == 0 else ()
    found = next((keys for name in names if (keys := use.attribute(name))), ())
    if use.operator == "LabelEncoder" and not found:
        tensor = use.attribute("keys_tensor")
        if tensor is not None:
            from onnx import numpy_helper

            found = numpy_helper.to_array(tensor).ravel().tolist()
    return tuple(k.decode() if isinstance(k, bytes) else k for k in found)


@dataclass(frozen=True)
class WantedInput:
    """An input that values are made for."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    allowed: Range
    uses: list[Use]
    sequence: int
    """The length of the sequences among the inputs."""

    def names(self, *words: str) -> bool:
        """Whether the name contains one of some words."""
        return any(word in self.name.lower() for word in words)


def make_values(wanted: WantedInput, random: np.random.Generator) -> np.ndarray:
    """Values for one input: masks are ones, indices are valid, floats are standard normal."""
    shape, dtype, allowed = wanted.shape, wanted.dtype, wanted.allowed
    if dtype.kind == "O":
        return _strings(wanted, random)
    if allowed.keys:
        return random.choice(np.array(allowed.keys), shape).astype(dtype)
    if dtype.kind == "b" or (wanted.names("mask") and not _is_index(allowed)):
        return np.ones(shape, dtype)
    if allowed.is_known:
        return _in_range(wanted, random).astype(dtype)
    if dtype.kind in "iu":
        return _integers(wanted, random).astype(dtype)
    if any((u.operator, u.operand) in _FRACTIONS for u in wanted.uses):
        return np.full(shape, 0.5, dtype)
    values = random.standard_normal(shape)
    positive = any(u.operator in ("Sqrt", "Log") and u.scale is not None for u in wanted.uses)
    return np.asarray(np.abs(values) if positive else values).astype(dtype)


def _is_index(allowed: Range) -> bool:
    """Whether an input indexes something so small that a one may be out of bounds."""
    return allowed.is_known and allowed.high < 1


def _in_range(wanted: WantedInput, random: np.random.Generator) -> np.ndarray:
    """Random integers that are allowed; positions count up, counts are as large as they may be."""
    low, high, shape = wanted.allowed.low, wanted.allowed.high, wanted.shape
    if wanted.names("position") and shape and shape[-1] <= high - low + 1:
        return np.broadcast_to(low + np.arange(shape[-1]), shape).copy()
    if math.prod(shape) == 1 and high - low < COUNT:
        return np.full(shape, high)
    return random.integers(low, high, shape, endpoint=True)


def _integers(wanted: WantedInput, random: np.random.Generator) -> np.ndarray:
    """Integers that index nothing: pixels, lengths, shapes, or anything else, as 0 or 1."""
    shape, dtype = wanted.shape, wanted.dtype
    if any((u.operator, u.operand) == ("Reshape", 1) and u.scale is not None for u in wanted.uses):
        return np.array([-1] + [1] * (math.prod(shape) - 1)).reshape(shape)
    if dtype.itemsize == 1 and len(shape) > 1:
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, endpoint=True)
    if len(shape) <= 1 and wanted.names(*LENGTHS):
        return np.full(shape, wanted.sequence)
    return random.integers(0, 2, shape)


def _strings(wanted: WantedInput, random: np.random.Generator) -> np.ndarray:
    """One of the strings that the graph knows, a number as text if it reads one, else words."""
    shape = wanted.shape
    if wanted.allowed.keys:
        return random.choice(np.array(wanted.allowed.keys, dtype=object), shape)
    if any(use.operator == "Cast" for use in wanted.uses):
        return random.integers(0, 10, shape).astype(str).astype(object)
    count = math.prod(shape)
    texts = [" ".join(random.permutation(np.array(WORDS, object))) for _ in range(count)]
    return np.array(texts, dtype=object).reshape(shape)
