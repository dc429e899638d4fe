"""What PyTorch's exporters do not take, and what they do not tell."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from typing import Any

import onnx
import torch

from tests.reproductions.support import (
    FLOAT,
    export,
    reproduction,
    temporary_folder,
)


class _Keeping(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bias = torch.nn.Parameter(torch.rand(4))
        self.kept = self.bias * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.kept


@reproduction
def torchscript_history_in_constants() -> bool:
    """The TorchScript exporter refuses a plain tensor attribute that has a grad_fn, even under
    no_grad ("Cannot insert a Tensor that requires grad as a constant")."""
    with temporary_folder() as folder:
        try:
            export(_Keeping().eval(), (torch.rand(4),), folder / "m.onnx", dynamo=False)
        except RuntimeError as error:
            return "requires grad as a constant" in str(error)
    return False


class _Around(torch.nn.Module):
    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)


@reproduction
def torchscript_scripted_inside_module() -> bool:
    """The TorchScript exporter cannot export a module with a scripted module inside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.script(torch.nn.Linear(4, 4).eval())
    with temporary_folder() as folder:
        export(scripted, (torch.rand(2, 4),), folder / "alone.onnx", dynamo=False)
        try:
            export(_Around(scripted), (torch.rand(2, 4),), folder / "m.onnx", dynamo=False)
        except RuntimeError:
            return True
    return False


class _Result:
    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


class _ReturnsObject(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return _Result(x + 1)


@reproduction
def export_of_custom_containers() -> bool:
    """Neither exporter takes a model that returns an object of a class of its own."""
    with temporary_folder() as folder:
        for dynamo in (False, True):
            with contextlib.suppress(Exception):
                export(_ReturnsObject(), (torch.rand(2),), folder / "m.onnx", dynamo=dynamo)
                return False
    return True


@reproduction
def dynamo_opset() -> bool:
    """The dynamo exporter writes opset 18 when it is asked for opset 11, and does not fail."""
    with temporary_folder() as folder:
        path = folder / "m.onnx"
        export(torch.nn.Linear(4, 4).eval(), (torch.rand(2, 4),), path, dynamo=True, opset=11)
        (written,) = (o.version for o in onnx.load(path).opset_import if o.domain == "")
    return written != 11


class _Fourier(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.fft(x)


@reproduction
def dynamo_complex_outputs() -> bool:
    """A complex output of shape (2, 4) is exported as float32 of shape (2, 4, 2)."""
    with temporary_folder() as folder:
        path = folder / "m.onnx"
        export(_Fourier(), (torch.rand(2, 4),), path, dynamo=True)
        kind = onnx.load(path).graph.output[0].type.tensor_type
    shape = [dim.dim_value for dim in kind.shape.dim]
    return kind.elem_type == FLOAT and shape == [2, 4, 2]


class _Failing(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise ValueError("the cause")


@reproduction
def dynamo_error_hides_cause() -> bool:
    """The message of a failed dynamo export begins with advice; the reason is in __cause__."""
    with temporary_folder() as folder:
        try:
            export(_Failing(), (torch.rand(2),), folder / "m.onnx", dynamo=True)
        except Exception as error:  # noqa: BLE001 - any failure is the bug
            first = str(error).strip().splitlines()[0]
            return error.__cause__ is not None and "the cause" not in first
    return False


@reproduction
def exported_program_eval() -> bool:
    """eval() of the module of an exported program raises NotImplementedError."""
    program = torch.export.export(torch.nn.Linear(4, 4), (torch.rand(2, 4),))
    try:
        program.module().eval()
    except NotImplementedError:
        return True
    return False


@reproduction
def torch_global_pre_hook_kwargs() -> bool:
    """A global forward pre-hook does not see the keyword arguments of the call."""
    register = torch.nn.modules.module.register_module_forward_pre_hook
    return "with_kwargs" not in inspect.signature(register).parameters
