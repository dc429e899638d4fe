"""Operators that torch's TorchScript exporter lacks or writes wrongly.

Every symbolic belongs to an entry in ``turnkeyml.workarounds.symbolics``, which names the operator.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.onnx import (
    symbolic_helper,
    symbolic_opset9,
    symbolic_opset10,
    symbolic_opset11,
    symbolic_opset16,
)

from turnkeyml.workarounds import Workaround
from turnkeyml.workarounds import symbolics as entries

__all__ = ["SYMBOLICS", "register"]

Symbolic = Callable[..., Any]

_INT64, _BOOL = 7, 9
FIRST_OPSET = 18
"""The first opset with antialiasing in Resize and a number of outputs in Split."""

TORCH_CUBIC = -0.5
"""The coefficient of torch's cubic interpolation with antialiasing; without, it is -0.75."""


def _antialiased_resize(mode: str) -> Symbolic:
    """``interpolate(antialias=True)``."""

    def symbolic(g: Any, image: Any, size: Any, align_corners: Any, *scales: Any) -> Any:
        sizes = g.original_node.output().type().sizes()
        aligned = symbolic_helper._get_const(align_corners, "b", "align_corners")
        if sizes is None or aligned:  # see entries.RESIZE_ALIGN_CORNERS
            raise NotImplementedError("antialias with align_corners, or to a size not known ahead")
        empty = g.op("Constant", value_t=torch.tensor([], dtype=torch.float32))
        return g.op(
            "Resize",
            image,
            empty,
            empty,
            g.op("Constant", value_t=torch.tensor(sizes)),
            coordinate_transformation_mode_s="half_pixel",
            cubic_coeff_a_f=TORCH_CUBIC,
            mode_s=mode,
            antialias_i=1,
            exclude_outside_i=1,
        )

    return symbolic


def _chunk(g: Any, tensor: Any, chunks: Any, dim: Any, _outputs: int | None = None) -> Any:
    """A split into chunks whose size depends on data, as in recurrent cells."""
    count = symbolic_helper._get_const(chunks, "i", "chunks")
    axis = symbolic_helper._get_const(dim, "i", "dim")
    return g.op("Split", tensor, outputs=_outputs or count, axis_i=axis, num_outputs_i=count)


def _sort(g: Any, tensor: Any, *settings: Any) -> Any:
    """Both forms of ``sort``; TopK keeps the order of equal elements, so the result is stable."""
    dim, descending = settings[-2:]
    axis = symbolic_helper._get_const(dim, "i", "dim")
    size = g.op("Shape", tensor)
    place = g.op("Constant", value_t=torch.tensor([axis]))
    count = g.op("Gather", size, place, axis_i=0)
    largest = symbolic_helper._get_const(descending, "b", "descending")
    return g.op("TopK", tensor, count, axis_i=axis, largest_i=largest, sorted_i=1, outputs=2)


def _diff(g: Any, tensor: Any, times: Any, dim: Any, *ends: Any) -> Any:
    """Differences of neighbours, with optional elements before and after."""
    axis = symbolic_helper._get_const(dim, "i", "dim")
    before, after = ends
    pieces = [t for t in (before, tensor, after) if not symbolic_helper._is_none(t)]
    row = g.op("Concat", *pieces, axis_i=axis) if len(pieces) > 1 else tensor
    where, first, second, last, end = (
        g.op("Constant", value_t=torch.tensor([number]))
        for number in (axis, 0, 1, -1, torch.iinfo(torch.int64).max)
    )
    for _ in range(symbolic_helper._get_const(times, "i", "n")):
        later = g.op("Slice", row, second, end, where)
        row = g.op("Sub", later, g.op("Slice", row, first, last, where))
    return row


def _unbatched(pool: Symbolic) -> Symbolic:
    """Pooling that also takes an image without a batch dimension, which ONNX requires."""

    def symbolic(g: Any, image: Any, *settings: Any) -> Any:
        if symbolic_helper._get_tensor_rank(image) != 3:
            return pool(g, image, *settings)
        batch = symbolic_helper._unsqueeze_helper(g, image, [0])
        return symbolic_helper._squeeze_helper(g, pool(g, batch, *settings), [0])

    return symbolic


def _cumsum(g: Any, tensor: Any, dim: Any, kind: Any = None) -> Any:
    """Running sums; ONNX has none of booleans."""
    if symbolic_helper._is_bool(tensor):
        tensor = g.op("Cast", tensor, to_i=_INT64)
    return symbolic_opset11.cumsum(g, tensor, dim, kind)


def _grid_sampler(g: Any, image: Any, grid: Any, *settings: Any) -> Any:
    """Sampling on a grid that tracing turned into float64, as it does with ``linspace``."""
    grid = g.op("CastLike", grid, image)
    return symbolic_opset16.grid_sampler(g, image, grid, *settings)


def _index_put(g: Any, tensor: Any, places: Any, values: Any, add: Any = False) -> Any:
    """Assignment by index, with values whose type tracing may have changed."""
    return symbolic_opset11.index_put(g, tensor, places, g.op("CastLike", values, tensor), add)


def _isin(g: Any, elements: Any, those: Any, _unique: Any, invert: Any) -> Any:
    """Whether each element is among those."""
    flat = g.op("Reshape", those, g.op("Constant", value_t=torch.tensor([-1])))
    each = symbolic_helper._unsqueeze_helper(g, elements, [-1])
    equal = g.op("Cast", g.op("Equal", each, flat), to_i=_INT64)
    last = g.op("Constant", value_t=torch.tensor([-1]))
    found = g.op("Cast", g.op("ReduceMax", equal, last, keepdims_i=0), to_i=_BOOL)
    return g.op("Not", found) if symbolic_helper._get_const(invert, "b", "invert") else found


def _copy(g: Any, tensor: Any, source: Any, *_settings: Any) -> Any:
    """A tensor after another was copied into it, as into a cache."""
    values = symbolic_opset9.type_as(g, source, tensor)
    return symbolic_opset9.expand_as(g, values, tensor)


def _rms_norm(g: Any, tensor: Any, shape: Any, weight: Any = None, margin: Any = None) -> Any:
    """Division by the root mean square; an operator of its own from opset 23 on."""
    sizes = symbolic_helper._get_const(shape, "is", "normalized_shape")
    dtype = symbolic_helper._try_get_scalar_type(tensor).dtype()
    unsaid = margin is None or symbolic_helper._is_none(margin)
    least = torch.finfo(dtype).eps if unsaid else symbolic_helper._get_const(margin, "f", "eps")
    axes = g.op("Constant", value_t=torch.arange(-len(sizes), 0))
    mean = g.op("ReduceMean", g.op("Mul", tensor, tensor), axes, keepdims_i=1)
    epsilon = g.op("Constant", value_t=torch.tensor(least, dtype=dtype))
    result = g.op("Div", tensor, g.op("Sqrt", g.op("Add", mean, epsilon)))
    plain = weight is None or symbolic_helper._is_none(weight)
    return result if plain else g.op("Mul", result, weight)


def _as_strided(g: Any, tensor: Any, *layout: Any) -> Any:
    """A view of the memory of a tensor whose dimensions may be stored in another order."""
    kind = next(g.original_node.inputs()).type()
    sizes, steps = kind.sizes(), kind.strides()
    if sizes is None or steps is None:
        raise NotImplementedError("as_strided of a tensor whose layout is not known")
    order = sorted(range(len(steps)), key=lambda dim: -steps[dim])
    elements = 1
    for dim in reversed(order):
        if sizes[dim] > 1 and steps[dim] != elements:
            raise NotImplementedError("as_strided of a tensor with gaps or repetitions")
        elements *= sizes[dim]
    laid_out = g.op("Transpose", tensor, perm_i=order)
    return symbolic_opset9.as_strided(g, laid_out, *layout)


def _running_extreme(reduction: str) -> Symbolic:
    """``cummax`` and ``cummin`` along the last dimension: values and indices."""

    def symbolic(g: Any, tensor: Any, dim: Any) -> Any:
        axis = symbolic_helper._get_const(dim, "i", "dim")
        sizes = symbolic_helper._get_tensor_sizes(tensor)
        if sizes is None or sizes[axis] is None or axis not in (-1, len(sizes) - 1):
            raise NotImplementedError(
                f"{reduction} so far, of other rows than the last dimension's"
            )
        first, last = (g.op("Constant", value_t=torch.tensor([number])) for number in (0, -1))
        so_far = torch.ones(sizes[axis], sizes[axis], dtype=torch.bool).tril()
        seen = g.op("Constant", value_t=so_far)
        beginning = g.op("Gather", tensor, first, axis_i=axis)
        rows, begins = (
            symbolic_helper._unsqueeze_helper(g, part, [-2]) for part in (tensor, beginning)
        )
        rows = g.op("Where", seen, rows, begins)
        extreme = g.op(reduction, rows, last, keepdims_i=0)
        equal = g.op("Equal", rows, symbolic_helper._unsqueeze_helper(g, extreme, [-1]))
        there = g.op("Cast", g.op("And", equal, seen), to_i=_INT64)
        place = g.op("ArgMax", there, axis_i=-1, keepdims_i=0, select_last_index_i=1)
        return extreme, place

    return symbolic


def _full(g: Any, *settings: Any) -> Any:
    """A tensor of one value, in the type that it has in torch."""
    kind = torch.onnx.JitScalarType.from_value(g.original_node.output())
    return g.op("Cast", symbolic_opset9.full(g, *settings), to_i=kind.onnx_type())


def _eye(g: Any, *settings: Any) -> Any:
    """The identity matrix as a constant: ONNX Runtime makes none of booleans."""
    made = g.original_node.output()
    sizes = made.type().sizes()
    if sizes is None:
        raise NotImplementedError("an identity of a size not known ahead")
    kind = torch.onnx.JitScalarType.from_value(made).dtype()
    return g.op("Constant", value_t=torch.eye(*sizes).to(kind))


SYMBOLICS: dict[Workaround, Symbolic] = {
    entries.IOR: symbolic_opset9.__or_,
    entries.BICUBIC_ANTIALIAS: _antialiased_resize("cubic"),
    entries.BILINEAR_ANTIALIAS: _antialiased_resize("linear"),
    entries.AS_STRIDED: _as_strided,
    entries.AVG_POOL2D_UNBATCHED: _unbatched(symbolic_opset10._avg_pool("avg_pool2d", 2)),
    entries.COPY: _copy,
    entries.CUMMAX: _running_extreme("ReduceMax"),
    entries.CUMMIN: _running_extreme("ReduceMin"),
    entries.CUMSUM_BOOL: _cumsum,
    entries.DIFF: _diff,
    entries.EYE_BOOL: _eye,
    entries.FULL_INT: _full,
    entries.GRID_SAMPLER_DOUBLE: _grid_sampler,
    entries.INDEX_PUT_TYPES: _index_put,
    entries.ISIN: _isin,
    entries.MAX_POOL2D_UNBATCHED: _unbatched(symbolic_opset10._max_pool("max_pool2d", 2, False)),
    entries.RMS_NORM: _rms_norm,
    entries.SORT_STABLE: _sort,
    entries.UNSAFE_CHUNK_UNKNOWN_SIZE: _chunk,
}
"""Our symbolics, each under its workaround."""


@functools.cache
def register() -> None:
    """Teach the exporter our symbolics, once per process."""
    for workaround, symbolic in SYMBOLICS.items():
        operator = f"aten::{workaround.target}"
        torch.onnx.register_custom_op_symbolic(operator, symbolic, FIRST_OPSET)
