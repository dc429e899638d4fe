"""Operators that the TorchScript exporter lacks or gets wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.reproductions.support import (
    BOOL,
    FLOAT,
    export,
    loads,
    make_model,
    make_node,
    open_session,
    random_tensor,
    reproduction,
    temporary_folder,
)


def outcome(function: Callable[..., Any], *args: torch.Tensor) -> str:
    """What becomes of a function with the TorchScript exporter and ONNX Runtime."""

    class Module(torch.nn.Module):
        def forward(self, *inputs: torch.Tensor) -> Any:
            return function(*inputs)

    module = Module().eval()
    with torch.no_grad():
        expected = module(*(a.clone() for a in args))
    expected = expected if isinstance(expected, tuple) else (expected,)
    with temporary_folder() as folder:
        path = folder / "model.onnx"
        try:
            export(module, args, path, dynamo=False)
        except Exception as error:  # noqa: BLE001 - any failure is the bug
            return f"not exported: {type(error).__name__}: {error}"
        try:
            session = open_session(path)
            names = [i.name for i in session.get_inputs()]
            found = session.run(None, {n: a.numpy() for n, a in zip(names, args, strict=False)})
        except Exception as error:  # noqa: BLE001 - any failure is the bug
            return f"not run: {type(error).__name__}: {error}"
    for f, e in zip(found, (e.numpy() for e in expected), strict=True):
        if f.dtype != e.dtype or f.shape != e.shape:
            return f"another type or shape: {f.dtype} {f.shape}, not {e.dtype} {e.shape}"
        if not np.allclose(f, e, atol=1e-4):
            return "other numbers"
    return "right"


def not_exported(function: Callable[..., Any], *args: torch.Tensor) -> bool:
    """Whether the TorchScript exporter fails, or what it writes does not run or is wrong."""
    control = outcome(lambda x: x * 2 + 1, torch.rand(2, 3))
    assert control == "right", f"the exporter or the runtime fails altogether: {control}"
    return outcome(function, *args) != "right"


@reproduction
def torchscript_ior() -> bool:
    """aten::__ior_ (``mask |= other``) has no symbolic, although aten::__or_ has."""

    def function(x: torch.Tensor) -> torch.Tensor:
        mask = x > 0.3
        mask |= x > 0.9
        return mask

    return not_exported(function, random_tensor(4, 9))


@reproduction
def torchscript_bicubic_antialias() -> bool:
    """aten::_upsample_bicubic2d_aa has no symbolic; ONNX's Resize can do it from opset 18 on."""
    return not_exported(
        lambda x: functional.interpolate(x, size=(7, 12), mode="bicubic", antialias=True),
        random_tensor(1, 1, 10, 16),
    )


@reproduction
def torchscript_bilinear_antialias() -> bool:
    """aten::_upsample_bilinear2d_aa has no symbolic; ONNX's Resize can do it from opset 18 on."""
    return not_exported(
        lambda x: functional.interpolate(x, size=(7, 12), mode="bilinear", antialias=True),
        random_tensor(1, 1, 10, 16),
    )


@reproduction
def torchscript_as_strided() -> bool:
    """as_strided is exported as if its input were contiguous, with wrong numbers and no warning."""
    return not_exported(lambda x: x.t().as_strided((3, 3), (9, 1)), random_tensor(4, 9))


@reproduction
def torchscript_avg_pool2d_unbatched() -> bool:
    """avg_pool2d of (C, H, W) is written as AveragePool of rank 3, which is one-dimensional."""
    return not_exported(lambda x: functional.avg_pool2d(x, 3, 2), random_tensor(3, 8, 8))


@reproduction
def torchscript_max_pool2d_unbatched() -> bool:
    """max_pool2d of (C, H, W) is written as MaxPool of rank 3, which is one-dimensional."""
    return not_exported(lambda x: functional.max_pool2d(x, 3, 2), random_tensor(3, 8, 8))


@reproduction
def torchscript_copy() -> bool:
    """aten::copy, which remains of ``cache.copy_(x)`` on a whole tensor, has no symbolic."""
    return not_exported(lambda x: torch.zeros(2, *x.shape).copy_(x), random_tensor(4, 9))


@reproduction
def torchscript_cummax() -> bool:
    """aten::cummax has no symbolic."""
    return not_exported(lambda x: tuple(x.cummax(-1)), random_tensor(4, 9))


@reproduction
def torchscript_cummin() -> bool:
    """aten::cummin has no symbolic."""
    return not_exported(lambda x: tuple(x.cummin(-1)), random_tensor(4, 9))


@reproduction
def torchscript_cumsum_bool() -> bool:
    """cumsum of booleans is written as CumSum of booleans, which ONNX does not allow."""
    return not_exported(lambda x: (x > 0.5).cumsum(-1), random_tensor(4, 9))


@reproduction
def torchscript_diff() -> bool:
    """aten::diff has no symbolic."""
    return not_exported(torch.diff, random_tensor(4, 9))


@reproduction
def torchscript_eye_bool() -> bool:
    """The CPU provider has no EyeLike that makes booleans, which ONNX allows."""
    node = make_node("EyeLike", ["x"], ["y"], dtype=BOOL)
    return not loads(make_model([node], [("x", FLOAT, [3, 3])], [("y", BOOL, [3, 3])]))


@reproduction
def torchscript_full_int() -> bool:
    """torch.full(traced_shape, 3) without a dtype is int64 in eager and float32 in the export."""
    return not_exported(lambda x: torch.full(x.shape[:1], 3), random_tensor(4, 9))


@reproduction
def torchscript_grid_sampler_double() -> bool:
    """grid_sample at places from linspace is written with a float64 grid: GridSample of a float32
    image does not run."""

    def function(x: torch.Tensor) -> torch.Tensor:
        height, width = x.shape[-2:]
        rows = torch.linspace(0.5, height - 0.5, height) / height
        columns = torch.linspace(0.5, width - 0.5, width) / width
        grid = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), -1) * 2 - 1
        return functional.grid_sample(x, grid[None] * x.mean(), align_corners=False)

    return not_exported(function, random_tensor(1, 3, 6, 8))


@reproduction
def torchscript_index_put_types() -> bool:
    """index_put by a mask does not cast the values: float64 ones (from linspace, float32 in eager)
    end in a ScatterND of two types."""

    def function(x: torch.Tensor) -> torch.Tensor:
        result, mask = x.clone(), x[:, 0] > 0.1
        values = torch.linspace(0.5, 3.5, x.shape[0])
        result[mask] = values[:, None].expand(4, 9)[mask]
        return result

    return not_exported(function, random_tensor(4, 9))


@reproduction
def torchscript_isin() -> bool:
    """aten::isin has no symbolic."""
    return not_exported(
        lambda x: torch.isin((x * 4).long(), torch.tensor([1, 3])), random_tensor(4, 9)
    )


@reproduction
def torchscript_rms_norm() -> bool:
    """aten::rms_norm has no symbolic."""
    return not_exported(lambda x: functional.rms_norm(x, (9,)), random_tensor(4, 9))


@reproduction
def torchscript_sort_stable() -> bool:
    """sort(stable=True): the symbolic takes ``descending`` for the ``out`` argument and refuses."""
    return not_exported(lambda x: tuple(torch.sort(x, dim=1, stable=True)), random_tensor(4, 9))


@reproduction
def torchscript_unsafe_chunk_unknown_size() -> bool:
    """unsafe_chunk along a dimension whose size depends on data is refused."""

    def function(x: torch.Tensor) -> torch.Tensor:
        some = x[:, torch.ones_like(x[0]) > 0]
        first, second, third = torch.unsafe_chunk(some, 3, 1)
        return first + second + third

    return not_exported(function, random_tensor(4, 9))


@reproduction
def resize_antialias_align_corners() -> bool:
    """ONNX defines Resize with antialias and align_corners otherwise than PyTorch (ONNX Runtime and
    the reference implementation agree); with half_pixel all three give the same."""
    from onnx.reference import ReferenceEvaluator

    image = random_tensor(1, 1, 9, 9)

    def errors(mode: str, aligned: bool) -> tuple[float, float]:
        """How far ONNX Runtime is from the reference implementation, and from PyTorch."""
        node = make_node(
            "Resize",
            ["x", "", "", "sizes"],
            ["y"],
            antialias=1,
            exclude_outside=1,
            mode="linear",
            coordinate_transformation_mode=mode,
        )
        sizes = {"sizes": np.array([1, 1, 4, 5])}
        model = make_model(
            [node], [("x", FLOAT, [1, 1, 9, 9])], [("y", FLOAT, [1, 1, 4, 5])], sizes
        )
        (found,) = open_session(model).run(None, {"x": image.numpy()})
        (defined,) = ReferenceEvaluator(model).run(None, {"x": image.numpy()})
        expected = functional.interpolate(
            image, size=(4, 5), mode="bilinear", antialias=True, align_corners=aligned
        )
        return np.abs(found - defined).max(), np.abs(found - expected.numpy()).max()

    assert max(*errors("half_pixel", False), errors("align_corners", True)[0]) < 1e-5
    return bool(errors("align_corners", True)[1] > 1e-2)
