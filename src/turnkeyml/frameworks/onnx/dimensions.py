"""The sizes of the dimensions that an ONNX file leaves open.

The user's sizes come first, then those that an operator dictates (the channels of a convolution,
the rows of a matrix), then what the name of a dimension says, then the operators that use it. If
constants of the graph, such as a table of positions, contradict the default size, others are tried.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from turnkeyml.errors import TurnkeyError
from turnkeyml.frameworks.onnx.graph import Graph, Use, operators

SIZES = {
    "batch": 1,
    "sequence": 128,
    "past": 128,
    "height": 224,
    "width": 224,
    "channels": 3,
    "samples": 16_000,
    "frames": 16,
}
"""The default size of each kind of dimension. ``samples`` are those of one second of sound."""

_NAMES = (
    (r"batch|^(bs|n|b)$", "batch"),
    (r"past|cache|^kv", "past"),
    (r"channel|^c$", "channels"),
    (r"height|^h$|rows", "height"),
    (r"width|^w$|cols|columns", "width"),
    (r"image|img|pixel", "height"),
    (r"num_frames|depth", "frames"),
    (r"sample|wave|audio", "samples"),
    (r"seq|len|token|time|step|frame|word|char|^[tsl]$", "sequence"),
)
"""What the names of dimensions contain, and the kind that this means."""
_MADE_UP_NAME = re.compile(r"_dynamic_axes_\d+$|^unk__\d+$|^s\d+$|DynamicDimension|^[-?\d]|^none$")
"""Names that an exporter made up and that mean nothing."""

_IMAGES = operators(
    "Conv ConvTranspose MaxPool AveragePool GlobalAveragePool GlobalMaxPool "
    "BatchNormalization InstanceNormalization ConvInteger QLinearConv GroupNormalization "
    "Resize Upsample"
)
_TABLES = operators("Gather EmbedLayerNormalization GatherBlockQuantized")
_RECURRENT = operators("LSTM GRU RNN")
_ELEMENTWISE = operators("Add Sub Mul Div Scaler Imputer LayerNormalization")


@dataclass(frozen=True)
class Declared:
    """An input as the file declares it."""

    name: str
    dims: tuple[int | str | None, ...]
    """The size of each axis, the name of its dimension, or None."""
    is_integer: bool = False
    is_string: bool = False
    has_rank: bool = True
    """Whether the file says how many axes it has; if not, ``dims`` is a guess."""

    def __str__(self) -> str:
        return f"{self.name} ({', '.join('?' if d is None else str(d) for d in self.dims)})"


ALTERNATIVES = (
    {"height": 384, "width": 384},
    {"height": 256, "width": 256},
    {"height": 512, "width": 512},
    {"height": 640, "width": 640},
    {"height": 32, "width": 32},
    {"height": 28, "width": 28},
    {"sequence": 77},
    {"sequence": 512},
    {"sequence": 64},
    {"sequence": 16},
)
"""Other usual sizes, for files whose constants do not fit the default ones."""


@dataclass
class Sizes:
    """The chosen shape of each input, and the sizes that turnkey itself chose."""

    shapes: dict[str, tuple[int, ...]]
    chosen: dict[str, int] = field(default_factory=dict)
    """By the name of the dimension; of one without a name, its kind."""
    kinds: set[str] = field(default_factory=set)
    """The kinds of those that have a default size."""


def choose_sizes(
    graph: Graph,
    inputs: list[Declared],
    uses: Mapping[str, list[Use]],
    wanted: Mapping[str, tuple[int, ...]],
    fits: Callable[[Sizes], bool],
) -> Sizes:
    """A shape for every input. ``wanted`` has shapes by input and sizes by dimension.

    ``fits`` says whether shapes agree with the constants of the graph, as far as that is known.
    """
    usual = _Choice(graph, inputs, uses, wanted).run()
    others = [sizes for sizes in ALTERNATIVES if usual.kinds & set(sizes)]
    if not others or fits(usual):
        return usual
    tried = (_Choice(graph, inputs, uses, wanted, {**SIZES, **sizes}).run() for sizes in others)
    return next((sizes for sizes in tried if fits(sizes)), usual)


class _Choice:
    def __init__(
        self,
        graph: Graph,
        inputs: list[Declared],
        uses: Mapping[str, list[Use]],
        wanted: Mapping[str, tuple[int, ...]],
        defaults: Mapping[str, int] = SIZES,
    ) -> None:
        self._graph, self._inputs, self._uses, self._defaults = graph, inputs, uses, defaults
        self._given = {i.name: wanted[i.name] for i in inputs if self._is_shape(i, wanted)}
        self._wanted = {n: s[0] for n, s in wanted.items() if n not in self._given}
        self._kinds = {
            (i.name, axis): self._kind(i, axis) for i in inputs for axis in range(len(i.dims))
        }
        self._has_past = "past" in self._kinds.values()
        self._named: dict[str, int] = {}
        self._check(wanted)

    @staticmethod
    def _is_shape(declared: Declared, wanted: Mapping[str, tuple[int, ...]]) -> bool:
        """Whether a size is wanted for an input, and not for a dimension of its name."""
        given = wanted.get(declared.name)
        return given is not None and (len(given) != 1 or len(declared.dims) == 1)

    def run(self) -> Sizes:
        self._take_given()
        self._take_dictated()
        sizes = Sizes({})
        for declared in self._inputs:
            if declared.name in self._given:
                sizes.shapes[declared.name] = self._given[declared.name]
                continue
            axes = range(len(declared.dims))
            sizes.shapes[declared.name] = tuple(self._size(declared, a, sizes) for a in axes)
        return sizes

    def _check(self, wanted: Mapping[str, tuple[int, ...]]) -> None:
        """Raise an error for what the file does not have or does not allow."""
        dimensions = dict.fromkeys(d for i in self._inputs for d in i.dims if isinstance(d, str))
        kinds = dict.fromkeys(kind for kind in self._kinds.values() if kind)
        for name, shape in wanted.items():
            declared = next((i for i in self._inputs if i.name == name), None)
            open_dimension = len(shape) == 1 and name in (*dimensions, *kinds)
            if declared is not None and (name in self._given or not open_dimension):
                _check_shape(declared, shape)
            elif not open_dimension:
                words = ", ".join(map(str, self._inputs)) or "none"
                raise TurnkeyError(
                    f"It has neither an input nor an open dimension {name!r}; its inputs are: "
                    f"{words}."
                )

    def _take_given(self) -> None:
        """Sizes of named dimensions, from the shapes that the user gave."""
        for declared in self._inputs:
            given = self._given.get(declared.name, ())
            for dimension, size in zip(declared.dims, given, strict=False):
                if isinstance(dimension, str):
                    self._named.setdefault(dimension, size)
        self._named.update(self._wanted)

    def _take_dictated(self) -> None:
        """Sizes of named dimensions that an operator dictates."""
        for declared in self._inputs:
            for axis, dimension in enumerate(declared.dims):
                size = self._dictated(declared, axis)
                if isinstance(dimension, str) and size is not None:
                    self._named.setdefault(dimension, size)

    def _size(self, declared: Declared, axis: int, sizes: Sizes) -> int:
        dimension = declared.dims[axis]
        if isinstance(dimension, int):
            return dimension
        kind = self._kinds[declared.name, axis]
        if dimension in self._named:
            return self._named[dimension]
        wanted = self._wanted.get(kind)
        if wanted is not None:
            return wanted
        size = self._dictated(declared, axis)
        if size is None:
            size = self._computed(dimension) if dimension else None
        if size is None:
            size = self._default(kind)
            sizes.kinds.add(kind)
        named = dimension if dimension and not _MADE_UP_NAME.search(dimension) else None
        label = named or kind or dimension or f"{declared.name}[{axis}]"
        sizes.chosen.setdefault(label, size)
        if dimension:
            self._named[dimension] = size
        return size

    def _default(self, kind: str) -> int:
        """The size of a kind. A file with a key-value cache runs one step of a decoder."""
        if kind == "sequence" and self._has_past:
            return 1
        if kind == "total":
            return self._of_kind("past") + self._of_kind("sequence")
        return self._defaults.get(kind, 1)

    def _of_kind(self, kind: str) -> int:
        """The size that the dimensions of a kind have or will have."""
        for declared in self._inputs:
            for axis, dimension in enumerate(declared.dims):
                if self._kinds[declared.name, axis] == kind and dimension in self._named:
                    return self._named[str(dimension)]
        return self._wanted.get(kind, self._default(kind))

    def _computed(self, name: str) -> int | None:
        """The size of a dimension whose name is a sum or product of others."""
        words = re.findall(r"[A-Za-z_]\w*", name)
        if not re.fullmatch(r"[\w\s+*/()-]+", name) or not re.search(r"[+*/-]", name):
            return None
        if not words or "**" in name:
            return None
        for word in words:
            value = self._named.get(word, self._of_kind(_kind_of_name(word)))
            name = re.sub(rf"\b{word}\b", str(value), name)
        try:
            return max(0, int(eval(name.replace("/", "//"), {"__builtins__": {}})))
        except (SyntaxError, ArithmeticError, TypeError, ValueError):
            return None

    def _kind(self, declared: Declared, axis: int) -> str:
        """What a dimension is: by its name, else by the operators, else by its place."""
        dimension = declared.dims[axis]
        named = _kind_of_name(dimension) if isinstance(dimension, str) else ""
        if named == "height" and "height" in (self._kind_by_place(declared, axis - 1),):
            return "width"
        if named == "past" and re.search(r"total|\+", str(dimension)):
            return "total"
        if named in ("sequence", "") and re.search(r"total", str(dimension)):
            return "total"
        used = self._kind_by_use(declared, axis)
        if named == "sequence" and used == "samples":
            return used
        return named or used or self._kind_by_place(declared, axis)

    def _kind_by_use(self, declared: Declared, axis: int) -> str:
        for use in self._uses.get(declared.name, ()):
            if use.axes is None or axis not in use.axes or use.operand != 0:
                if use.operator == "Gather" and use.operand == 1 and use.axes:
                    return "sequence" if axis and axis in use.axes else "batch" * (axis == 0)
                continue
            place, rank = use.axes.index(axis), len(use.axes)
            if use.operator in _IMAGES and rank >= 3:
                return self._kind_in_image(use, place, rank)
            if use.operator in _TABLES:
                continue
            if use.operator in _RECURRENT:
                batch_first = bool(use.attribute("layout", 0))
                return ("sequence", "batch")[place != int(batch_first)] if place < 2 else ""
        return ""

    def _kind_in_image(self, use: Use, place: int, rank: int) -> str:
        if place < 2:
            return ("batch", "channels")[place]
        if rank == 3:
            weights = self._graph.dims(self._graph.operand(use, 1))
            return "samples" if weights and len(weights) == 3 and weights[1] == 1 else "sequence"
        return ("width", "height", "frames")[rank - 1 - place]

    @staticmethod
    def _kind_by_place(declared: Declared, axis: int) -> str:
        rank, last = len(declared.dims), declared.dims[-1] if declared.dims else None
        if axis == 0:
            return "batch"
        if declared.is_integer or declared.is_string or rank < 4:
            return "" if declared.is_string else "sequence"
        channels_last = last in (1, 3, 4)
        from_end = rank - axis - channels_last
        return {1: "width", 2: "height"}.get(from_end, "channels" if axis == 1 else "frames")

    def _dictated(self, declared: Declared, axis: int) -> int | None:
        """The size that an operator needs an axis to have; None if any will do."""
        for use in self._uses.get(declared.name, ()):
            if use.axes is None or axis not in use.axes or use.operand != 0 or use.is_resized:
                continue
            size = self._needed(use, use.axes.index(axis) - len(use.axes))
            if size is not None:
                return size
        return None

    def _needed(self, use: Use, place: int) -> int | None:
        """The size of an axis of the first operand, counted from the end."""
        assert use.axes is not None
        rank = len(use.axes)
        dims = self._graph.dims(self._graph.operand(use, 1)) or []
        if use.operator in ("Conv", "ConvInteger", "ConvTranspose") and rank + place == 1 and dims:
            if use.operator == "ConvTranspose":
                return dims[0]
            return None if dims[1] is None else dims[1] * int(use.attribute("group", 1))
        if use.operator == "Conv" and rank == 4 and place >= -2 and len(dims) == 4:
            return self._patches(use, dims)
        if use.operator == "MatMul" and place == -1 and len(dims) >= 2:
            return dims[-2]
        if use.operator == "Gemm" and len(dims) == 2:
            transposed = bool(use.attribute("transA", 0))
            inner = dims[1] if use.attribute("transB", 0) else dims[0]
            return inner if (place == -1) != transposed else None
        if use.operator in _RECURRENT and place == -1 and len(dims) == 3:
            return dims[2]
        if use.operator in _ELEMENTWISE:
            return next(self._elementwise(use, place, dims), None)
        return _features(use) if place == -1 else None

    def _patches(self, use: Use, weights: list[int | None]) -> int | None:
        """The width of the image of a vision transformer, from its table of positions.

        Its convolution cuts a square image into patches, and one more row may be for a class.
        """
        steps = use.attribute("strides", [1, 1])
        if steps[0] == 1 or [*steps] != weights[2:]:
            return None
        for rows in self._graph.added_rows(weights[0]):
            for patches in (rows, rows - 1):
                side = math.isqrt(patches)
                if side > 1 and side * side == patches:
                    return side * int(steps[0])
        return None

    def _elementwise(self, use: Use, place: int, dims: list[int | None]) -> Iterator[int | None]:
        if use.operator in ("Scaler", "Imputer"):
            names = ("offset", "imputed_value_floats")
            found = [use.attribute(name) for name in names]
            yield next((len(f) for f in found if f and len(f) > 1 and place == -1), None)
        elif self._graph.constant(self._graph.operand(use, 1)) is not None and -place <= len(dims):
            size = dims[place]
            yield size if size is not None and size > 1 else None


def _features(use: Use) -> int | None:
    """The number of features that an operator of classical machine learning needs."""
    if use.operator in ("LinearRegressor", "LinearClassifier"):
        rows = use.attribute("targets", 1)
        labels = use.attribute("classlabels_ints") or use.attribute("classlabels_strings") or ()
        intercepts = len(use.attribute("intercepts", ()) or ())
        return len(use.attribute("coefficients", ())) // max(rows, intercepts, len(labels) // 2, 1)
    if use.operator.startswith("TreeEnsemble"):
        ids = use.attribute("nodes_featureids", ())
        return max(ids, default=0) + 1 if ids else None
    return None


def _kind_of_name(name: str) -> str:
    if _MADE_UP_NAME.search(name):
        return ""
    lower = name.lower()
    return next((kind for pattern, kind in _NAMES if re.search(pattern, lower)), "")


def _check_shape(declared: Declared, shape: tuple[int, ...]) -> None:
    """Raise an error unless a shape fits the declared dimensions of an input."""
    if not declared.has_rank:
        return
    fixed = [d if isinstance(d, int) else None for d in declared.dims]
    fits = len(shape) == len(fixed) and all(
        f in (None, n) for f, n in zip(fixed, shape, strict=True)
    )
    if not fits:
        words = "x".join(map(str, shape))
        raise TurnkeyError(f"The shape {declared.name}={words} does not fit the input {declared}.")
