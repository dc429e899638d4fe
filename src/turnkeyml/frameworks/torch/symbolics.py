"""Operators that ONNX has and torch's TorchScript exporter does not know how to write."""

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

__all__ = ["register"]

_INT64, _BOOL = 7, 9
FIRST_OPSET = 18
"""Resize learned to smooth, and Split to count its outputs, in this one."""

TORCH_CUBIC = -0.5
"""The coefficient of torch's cubic interpolation where it smooths; elsewhere it is -0.75."""


@functools.cache
def register() -> None:
    """Teach the exporter, once in a process."""
    known: dict[str, Callable[..., Any]] = {
        "__ior_": symbolic_opset9.__or_,
        "_upsample_bicubic2d_aa": _smoothing_resize("cubic"),
        "_upsample_bilinear2d_aa": _smoothing_resize("linear"),
        "as_strided": _as_strided,
        "avg_pool2d": _of_one(symbolic_opset10._avg_pool("avg_pool2d", 2)),
        "copy": _copy,
        "cummax": _extreme_so_far("ReduceMax"),
        "cummin": _extreme_so_far("ReduceMin"),
        "cumsum": _cumsum,
        "diff": _diff,
        "eye": _eye,
        "full": _full,
        "grid_sampler": _grid_sampler,
        "index_put": _index_put,
        "isin": _isin,
        "max_pool2d": _of_one(symbolic_opset10._max_pool("max_pool2d", 2, False)),
        "rms_norm": _rms_norm,
        "sort": _sort,
        "unsafe_chunk": _chunk,
    }
    for name, symbolic in known.items():
        torch.onnx.register_custom_op_symbolic(f"aten::{name}", symbolic, FIRST_OPSET)


def _smoothing_resize(mode: str) -> Callable[..., Any]:
    """``interpolate(antialias=True)``."""

    def symbolic(g: Any, image: Any, size: Any, align_corners: Any, *scales: Any) -> Any:
        sizes = g.original_node.output().type().sizes()
        aligned = symbolic_helper._get_const(align_corners, "b", "align_corners")
        if sizes is None or aligned:  # ONNX Runtime places aligned corners elsewhere
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
    """A split into parts of a size that only shows when the model runs, as in recurrent cells."""
    count = symbolic_helper._get_const(chunks, "i", "chunks")
    axis = symbolic_helper._get_const(dim, "i", "dim")
    return g.op("Split", tensor, outputs=_outputs or count, axis_i=axis, num_outputs_i=count)


def _sort(g: Any, tensor: Any, *settings: Any) -> Any:
    """Both forms of sorting; ONNX's keeps the order of what is equal, so it is always stable."""
    dim, descending = settings[-2:]
    axis = symbolic_helper._get_const(dim, "i", "dim")
    size = g.op("Shape", tensor)
    place = g.op("Constant", value_t=torch.tensor([axis]))
    count = g.op("Gather", size, place, axis_i=0)
    largest = symbolic_helper._get_const(descending, "b", "descending")
    return g.op("TopK", tensor, count, axis_i=axis, largest_i=largest, sorted_i=1, outputs=2)


def _diff(g: Any, tensor: Any, times: Any, dim: Any, *ends: Any) -> Any:
    """What lies between neighbours, with more of them before and after if need be."""
    axis = symbolic_helper._get_const(dim, "i", "dim")
    before, after = ends
    parts = [part for part in (before, tensor, after) if not symbolic_helper._is_none(part)]
    row = g.op("Concat", *parts, axis_i=axis) if len(parts) > 1 else tensor
    where, first, second, last, end = (
        g.op("Constant", value_t=torch.tensor([number]))
        for number in (axis, 0, 1, -1, torch.iinfo(torch.int64).max)
    )
    for _ in range(symbolic_helper._get_const(times, "i", "n")):
        later = g.op("Slice", row, second, end, where)
        row = g.op("Sub", later, g.op("Slice", row, first, last, where))
    return row


def _of_one(pool: Callable[..., Any]) -> Callable[..., Any]:
    """Pooling of an image that is not in a batch, which ONNX only knows in one."""

    def symbolic(g: Any, image: Any, *settings: Any) -> Any:
        if symbolic_helper._get_tensor_rank(image) != 3:
            return pool(g, image, *settings)
        batch = symbolic_helper._unsqueeze_helper(g, image, [0])
        return symbolic_helper._squeeze_helper(g, pool(g, batch, *settings), [0])

    return symbolic


def _cumsum(g: Any, tensor: Any, dim: Any, kind: Any = None) -> Any:
    """Running sums; ONNX does not count truths, torch does."""
    if symbolic_helper._is_bool(tensor):
        tensor = g.op("Cast", tensor, to_i=_INT64)
    return symbolic_opset11.cumsum(g, tensor, dim, kind)


def _grid_sampler(g: Any, image: Any, grid: Any, *settings: Any) -> Any:
    """Sampling at places that tracing made more exact than the image: a size has turned double."""
    grid = g.op("CastLike", grid, image)
    return symbolic_opset16.grid_sampler(g, image, grid, *settings)


def _index_put(g: Any, tensor: Any, places: Any, values: Any, add: Any = False) -> Any:
    """Putting numbers into a tensor, of which tracing may have lost the type."""
    return symbolic_opset11.index_put(g, tensor, places, g.op("CastLike", values, tensor), add)


def _isin(g: Any, elements: Any, those: Any, _unique: Any, invert: Any) -> Any:
    """Which elements are among those."""
    flat = g.op("Reshape", those, g.op("Constant", value_t=torch.tensor([-1])))
    each = symbolic_helper._unsqueeze_helper(g, elements, [-1])
    equal = g.op("Cast", g.op("Equal", each, flat), to_i=_INT64)
    last = g.op("Constant", value_t=torch.tensor([-1]))
    found = g.op("Cast", g.op("ReduceMax", equal, last, keepdims_i=0), to_i=_BOOL)
    return g.op("Not", found) if symbolic_helper._get_const(invert, "b", "invert") else found


def _copy(g: Any, tensor: Any, source: Any, *_settings: Any) -> Any:
    """What is in a tensor after another was copied into it, as into a cache."""
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
    size = g.op(
        "Sqrt", g.op("Add", mean, g.op("Constant", value_t=torch.tensor(least, dtype=dtype)))
    )
    result = g.op("Div", tensor, size)
    plain = weight is None or symbolic_helper._is_none(weight)
    return result if plain else g.op("Mul", result, weight)


def _as_strided(g: Any, tensor: Any, *layout: Any) -> Any:
    """A view of memory, from a tensor whose dimensions lie in another order there than in ONNX."""
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


def _extreme_so_far(reduction: str) -> Callable[..., Any]:
    """``cummax`` and ``cummin``: the most extreme so far and where it was, along rows."""

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
    """A tensor full of one number, whose type the exporter takes for float if none is named."""
    kind = torch.onnx.JitScalarType.from_value(g.original_node.output())
    return g.op("Cast", symbolic_opset9.full(g, *settings), to_i=kind.onnx_type())


def _eye(g: Any, *settings: Any) -> Any:
    """The identity as a constant: ONNX Runtime makes none of truths."""
    made = g.original_node.output()
    sizes = made.type().sizes()
    if sizes is None:
        raise NotImplementedError("an identity of a size not known ahead")
    kind = torch.onnx.JitScalarType.from_value(made).dtype()
    return g.op("Constant", value_t=torch.eye(*sizes).to(kind))
