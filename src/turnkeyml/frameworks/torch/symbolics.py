"""Symbolics for operators that torch's TorchScript exporter lacks or exports incorrectly.

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

from turnkeyml import workarounds
from turnkeyml.workarounds import Workaround

Symbolic = Callable[..., Any]

_INT64, _BOOL = 7, 9
FIRST_OPSET = 18
"""The first opset whose Resize has ``antialias`` and whose Split has ``num_outputs``."""

TORCH_CUBIC = -0.5
"""The coefficient of torch's antialiased cubic interpolation (-0.75 without antialiasing)."""


def _antialiased_resize(mode: str) -> Symbolic:
    """The symbolic of ``interpolate(antialias=True)`` for one interpolation mode."""

    def symbolic(g: Any, image: Any, size: Any, align_corners: Any, *scales: Any) -> Any:
        sizes = g.original_node.output().type().sizes()
        aligned = symbolic_helper._get_const(align_corners, "b", "align_corners")
        if sizes is None or aligned:  # see workarounds.RESIZE_ALIGN_CORNERS
            raise NotImplementedError("antialias with align_corners, or to a dynamic size")
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
    """A split into a fixed number of chunks whose size is dynamic, as in recurrent cells."""
    count = symbolic_helper._get_const(chunks, "i", "chunks")
    axis = symbolic_helper._get_const(dim, "i", "dim")
    return g.op("Split", tensor, outputs=_outputs or count, axis_i=axis, num_outputs_i=count)


def _sort(g: Any, tensor: Any, *settings: Any) -> Any:
    """Both forms of ``sort``; TopK keeps the order of equal elements, so the result is stable."""
    dim, descending = settings[-2:]
    axis = symbolic_helper._get_const(dim, "i", "dim")
    index = g.op("Constant", value_t=torch.tensor([axis]))
    count = g.op("Gather", g.op("Shape", tensor), index, axis_i=0)
    largest = symbolic_helper._get_const(descending, "b", "descending")
    return g.op("TopK", tensor, count, axis_i=axis, largest_i=largest, sorted_i=1, outputs=2)


def _diff(g: Any, tensor: Any, times: Any, dim: Any, *ends: Any) -> Any:
    """Differences of adjacent elements, with optional elements before and after."""
    axis = symbolic_helper._get_const(dim, "i", "dim")
    prepend, append = ends
    pieces = [t for t in (prepend, tensor, append) if not symbolic_helper._is_none(t)]
    result = g.op("Concat", *pieces, axis_i=axis) if len(pieces) > 1 else tensor
    axes, first, second, last, end = (
        g.op("Constant", value_t=torch.tensor([number]))
        for number in (axis, 0, 1, -1, torch.iinfo(torch.int64).max)
    )
    for _ in range(symbolic_helper._get_const(times, "i", "n")):
        later = g.op("Slice", result, second, end, axes)
        result = g.op("Sub", later, g.op("Slice", result, first, last, axes))
    return result


def _unbatched(pool: Symbolic) -> Symbolic:
    """Pooling that adds the batch dimension that ONNX requires to an image without one."""

    def symbolic(g: Any, image: Any, *settings: Any) -> Any:
        if symbolic_helper._get_tensor_rank(image) != 3:
            return pool(g, image, *settings)
        batch = symbolic_helper._unsqueeze_helper(g, image, [0])
        return symbolic_helper._squeeze_helper(g, pool(g, batch, *settings), [0])

    return symbolic


def _cumsum(g: Any, tensor: Any, dim: Any, kind: Any = None) -> Any:
    """Cumulative sums; booleans are cast first, because ONNX does not sum them."""
    if symbolic_helper._is_bool(tensor):
        tensor = g.op("Cast", tensor, to_i=_INT64)
    return symbolic_opset11.cumsum(g, tensor, dim, kind)


def _grid_sampler(g: Any, image: Any, grid: Any, *settings: Any) -> Any:
    """Sampling on a grid that tracing may have promoted to float64, as with ``linspace``."""
    grid = g.op("CastLike", grid, image)
    return symbolic_opset16.grid_sampler(g, image, grid, *settings)


def _index_put(g: Any, tensor: Any, indices: Any, values: Any, add: Any = False) -> Any:
    """Assignment by index, with values whose dtype tracing may have changed."""
    return symbolic_opset11.index_put(g, tensor, indices, g.op("CastLike", values, tensor), add)


def _isin(g: Any, elements: Any, test_elements: Any, _unique: Any, invert: Any) -> Any:
    """Whether each element is among the test elements."""
    flat = g.op("Reshape", test_elements, g.op("Constant", value_t=torch.tensor([-1])))
    each = symbolic_helper._unsqueeze_helper(g, elements, [-1])
    equal = g.op("Cast", g.op("Equal", each, flat), to_i=_INT64)
    last = g.op("Constant", value_t=torch.tensor([-1]))
    found = g.op("Cast", g.op("ReduceMax", equal, last, keepdims_i=0), to_i=_BOOL)
    return g.op("Not", found) if symbolic_helper._get_const(invert, "b", "invert") else found


def _copy(g: Any, tensor: Any, source: Any, *_settings: Any) -> Any:
    """The tensor after ``tensor.copy_(source)``, as for a cache."""
    values = symbolic_opset9.type_as(g, source, tensor)
    return symbolic_opset9.expand_as(g, values, tensor)


def _rms_norm(g: Any, tensor: Any, shape: Any, weight: Any = None, eps: Any = None) -> Any:
    """Division by the root mean square; ONNX has an operator for it only from opset 23 on."""
    sizes = symbolic_helper._get_const(shape, "is", "normalized_shape")
    dtype = symbolic_helper._try_get_scalar_type(tensor).dtype()
    default = eps is None or symbolic_helper._is_none(eps)
    value = torch.finfo(dtype).eps if default else symbolic_helper._get_const(eps, "f", "eps")
    axes = g.op("Constant", value_t=torch.arange(-len(sizes), 0))
    mean = g.op("ReduceMean", g.op("Mul", tensor, tensor), axes, keepdims_i=1)
    epsilon = g.op("Constant", value_t=torch.tensor(value, dtype=dtype))
    result = g.op("Div", tensor, g.op("Sqrt", g.op("Add", mean, epsilon)))
    unweighted = weight is None or symbolic_helper._is_none(weight)
    return result if unweighted else g.op("Mul", result, weight)


def _as_strided(g: Any, tensor: Any, *layout: Any) -> Any:
    """A strided view of a tensor whose own memory may be transposed (not contiguous)."""
    kind = next(g.original_node.inputs()).type()
    sizes, strides = kind.sizes(), kind.strides()
    if sizes is None or strides is None:
        raise NotImplementedError("as_strided of a tensor with unknown strides")
    order = sorted(range(len(strides)), key=lambda dim: -strides[dim])
    elements = 1
    for dim in reversed(order):
        if sizes[dim] > 1 and strides[dim] != elements:
            raise NotImplementedError("as_strided of a sliced or expanded tensor")
        elements *= sizes[dim]
    contiguous = g.op("Transpose", tensor, perm_i=order)
    return symbolic_opset9.as_strided(g, contiguous, *layout)


def _cumulative_extreme(reduction: str) -> Symbolic:
    """``cummax`` and ``cummin`` along the last dimension: values and indices."""

    def symbolic(g: Any, tensor: Any, dim: Any) -> Any:
        axis = symbolic_helper._get_const(dim, "i", "dim")
        sizes = symbolic_helper._get_tensor_sizes(tensor)
        if sizes is None or sizes[axis] is None or axis not in (-1, len(sizes) - 1):
            raise NotImplementedError(f"cumulative {reduction} along another than the last axis")
        first, last = (g.op("Constant", value_t=torch.tensor([number])) for number in (0, -1))
        lower_triangle = torch.ones(sizes[axis], sizes[axis], dtype=torch.bool).tril()
        mask = g.op("Constant", value_t=lower_triangle)
        first_element = g.op("Gather", tensor, first, axis_i=axis)
        rows, fill = (
            symbolic_helper._unsqueeze_helper(g, part, [-2]) for part in (tensor, first_element)
        )
        rows = g.op("Where", mask, rows, fill)
        extreme = g.op(reduction, rows, last, keepdims_i=0)
        equal = g.op("Equal", rows, symbolic_helper._unsqueeze_helper(g, extreme, [-1]))
        candidates = g.op("Cast", g.op("And", equal, mask), to_i=_INT64)
        index = g.op("ArgMax", candidates, axis_i=-1, keepdims_i=0, select_last_index_i=1)
        return extreme, index

    return symbolic


def _full(g: Any, *settings: Any) -> Any:
    """A tensor filled with one value, in the dtype that it has in torch."""
    kind = torch.onnx.JitScalarType.from_value(g.original_node.output())
    return g.op("Cast", symbolic_opset9.full(g, *settings), to_i=kind.onnx_type())


def _eye(g: Any, *settings: Any) -> Any:
    """The identity matrix as a constant: ONNX Runtime's EyeLike does not support booleans."""
    output = g.original_node.output()
    sizes = output.type().sizes()
    if sizes is None:
        raise NotImplementedError("eye of a dynamic size")
    dtype = torch.onnx.JitScalarType.from_value(output).dtype()
    return g.op("Constant", value_t=torch.eye(*sizes).to(dtype))


SYMBOLICS: dict[Workaround, Symbolic] = {
    workarounds.IOR: symbolic_opset9.__or_,
    workarounds.BICUBIC_ANTIALIAS: _antialiased_resize("cubic"),
    workarounds.BILINEAR_ANTIALIAS: _antialiased_resize("linear"),
    workarounds.AS_STRIDED: _as_strided,
    workarounds.AVG_POOL2D_UNBATCHED: _unbatched(symbolic_opset10._avg_pool("avg_pool2d", 2)),
    workarounds.COPY: _copy,
    workarounds.CUMMAX: _cumulative_extreme("ReduceMax"),
    workarounds.CUMMIN: _cumulative_extreme("ReduceMin"),
    workarounds.CUMSUM_BOOL: _cumsum,
    workarounds.DIFF: _diff,
    workarounds.EYE_BOOL: _eye,
    workarounds.FULL_INT: _full,
    workarounds.GRID_SAMPLER_DOUBLE: _grid_sampler,
    workarounds.INDEX_PUT_TYPES: _index_put,
    workarounds.ISIN: _isin,
    workarounds.MAX_POOL2D_UNBATCHED: _unbatched(
        symbolic_opset10._max_pool("max_pool2d", 2, False)
    ),
    workarounds.RMS_NORM: _rms_norm,
    workarounds.SORT_STABLE: _sort,
    workarounds.UNSAFE_CHUNK_UNKNOWN_SIZE: _chunk,
}
"""Our symbolics, by workaround."""


@functools.cache
def register() -> None:
    """Register our symbolics with the exporter, once per process."""
    for workaround, symbolic in SYMBOLICS.items():
        operator = f"aten::{workaround.target}"
        torch.onnx.register_custom_op_symbolic(operator, symbolic, FIRST_OPSET)
