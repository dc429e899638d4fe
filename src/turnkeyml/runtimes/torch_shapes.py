"""The shape of what an operator of PyTorch returns, which its profiler does not record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from turnkeyml.nouns import TensorShape

Shape = tuple[int, ...]


def output_of(
    op_type: str, inputs: Sequence[TensorShape], given: Sequence[Any]
) -> tuple[TensorShape, ...]:
    """The output of an operator with these inputs; ``given`` are its arguments that are no tensors,
    with None for those that are. Empty if it is not known."""
    shapes = [one.shape for one in inputs]
    try:
        found = _RULES.get(op_type, _broadcast)(shapes, given)
    except (ValueError, IndexError, TypeError):  # other arguments than we know
        return ()
    return (TensorShape(inputs[0].dtype, found),) if inputs else ()


def _broadcast(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return tuple(int(size) for size in np.broadcast_shapes(*shapes))


def _first(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return shapes[0]


def _linear(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return (*shapes[0][:-1], shapes[1][0])


def _matmul(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    a, b = shapes[-2:] if len(shapes) < 3 else shapes[:2]
    if len(a) < 2 or len(b) < 2:
        raise ValueError("a vector")
    return (*_broadcast([a[:-2], b[:-2]], given), a[-2], b[-1])


def _addmm(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return _matmul(shapes[1:3], given)


def _conv(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    (image, weight), spatial = shapes[:2], len(shapes[1]) - 2
    stride, padding, dilation = (_each(value, spatial) for value in given[3:6])
    sizes = zip(image[2:], weight[2:], stride, padding, dilation, strict=True)
    window = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in sizes]
    return (image[0], weight[0], *window)


def _each(value: Any, count: int) -> list[int]:
    values = [*value] if isinstance(value, (list, tuple)) else [value]
    return [int(v) for v in values] * (count if len(values) == 1 else 1)


def _attention(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    return (*shapes[0][:-1], shapes[2][-1])


def _unknown(shapes: Sequence[Shape], given: Sequence[Any]) -> Shape:
    raise ValueError("it depends on the values")


_RULES: dict[str, Callable[[Sequence[Shape], Sequence[Any]], Shape]] = {
    "aten::linear": _linear,
    "aten::matmul": _matmul,
    "aten::mm": _matmul,
    "aten::bmm": _matmul,
    "aten::addmm": _addmm,
    "aten::baddbmm": _addmm,
    "aten::conv1d": _conv,
    "aten::conv2d": _conv,
    "aten::conv3d": _conv,
    "aten::convolution": _conv,
    "aten::scaled_dot_product_attention": _attention,
    "aten::layer_norm": _first,
    "aten::batch_norm": _first,
    "aten::group_norm": _first,
    "aten::embedding": _unknown,
    "aten::cat": _unknown,
    "aten::stack": _unknown,
    "aten::lstm": _unknown,
    "aten::gru": _unknown,
    "TorchInductor kernels": _unknown,
}
