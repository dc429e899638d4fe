"""Sessions for live PyTorch models, shared by the PyTorch runtimes."""

from __future__ import annotations

import copy
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.cache.arrays import BFLOAT16
from turnkeyml.nouns.profiles import Profile
from turnkeyml.runtimes.contract import Request, divided

__all__ = ["CompiledSession", "LiveSession", "TorchSession", "from_numpy", "to_numpy"]


class LiveSession(ABC):
    """What the sessions of live models share: recorded arguments, in the place of inputs."""

    _pristine: tuple[tuple[Any, ...], dict[str, Any]]

    @abstractmethod
    def feed(self, inputs: Mapping[str, np.ndarray]) -> None: ...

    @abstractmethod
    def run(self) -> None: ...

    @abstractmethod
    def synchronize(self) -> None: ...

    @abstractmethod
    def outputs(self) -> dict[str, np.ndarray]: ...

    def outputs_on(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the model returns for other values of its tensors; then it has its own again."""
        recorded, arrays = self._pristine, iter(inputs.items())
        self._pristine = structure.replace(
            recorded, lambda _, tensor: from_numpy(*next(arrays), like=tensor)
        )
        try:
            self.feed({})
            self.run()
            self.synchronize()
            return self.outputs()
        finally:
            self._pristine = recorded
            self.feed({})


class TorchSession(LiveSession):
    """A callable model with copies of its recorded arguments, which a run may modify."""

    asynchronous = False

    def __init__(self, function: Callable[..., Any], request: Request) -> None:
        assert request.live is not None
        self._instances, self._threads = 1, request.threads
        self._is_shared = request.instances is not None
        if self._is_shared:
            self._instances, self._threads = divided(request)
        torch.set_num_threads(self._threads)
        self._function = function
        self._pristine = (request.live.args, request.live.kwargs)
        self._result: Any = None
        self.changes_inputs = False
        self.feed({})

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Copy the recorded arguments; ``inputs`` is ignored, a live model has its own."""
        self._renew_arguments()
        self._fed = _versions((self._args, self._kwargs))

    def lanes(self) -> list[TorchSession]:
        """The model with other copies of its arguments, to be called in other threads."""
        return [self, *(self._another() for _ in range(self._instances - 1))]

    def _another(self) -> TorchSession:
        other = copy.copy(self)
        other._result = None
        other.feed({})
        return other

    def prepare(self) -> None:
        """Copy the recorded arguments again, if runs of this model modify them."""
        if self.changes_inputs:
            self._renew_arguments()

    def run(self) -> None:
        self._result = None  # keeping it would double the memory of the next run
        with torch.no_grad():
            self._result = self._function(*self._args, **self._kwargs)

    def synchronize(self) -> None:
        """Does nothing: on the CPU a call is synchronous."""

    def outputs(self) -> dict[str, np.ndarray]:
        if _versions((self._args, self._kwargs)) != self._fed:
            self.changes_inputs = True
        return dict(to_numpy(n, t) for n, t in structure.leaves(self._result, "output").items())

    def settings(self) -> dict[str, Any]:
        shared = {"instances": self._instances, "threads_per_instance": self._threads}
        return {
            "num_threads": torch.get_num_threads(),
            "gradients": False,
            "matmul_precision": torch.get_float32_matmul_precision(),
            **(shared if self._is_shared else {}),
        }

    def profile(self, seconds: float) -> Profile:
        """The operators of this model, by PyTorch's profiler."""
        from turnkeyml.runtimes.torch_profile import profile_calls

        def call() -> None:
            self.prepare()
            self.run()

        return profile_calls(call, self._function, seconds)

    def close(self) -> None:
        self._result = None

    def _renew_arguments(self) -> None:
        self._args, self._kwargs = structure.clone(self._pristine)


class CompiledSession(TorchSession):
    """A model whose first run compiles it, with the help of processes that stay."""

    def outputs(self) -> dict[str, np.ndarray]:
        """What the last run computed. It is compiled by now, so that nobody has to wait for more:
        the processes that compiled it would use processors while others are measured."""
        compiling = sys.modules.get("torch._inductor.async_compile")
        if compiling is not None:
            compiling.shutdown_compile_workers()
        return super().outputs()


def _versions(value: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """A value that differs after a tensor was modified in place, replaced or added."""
    tensors = structure.leaves(value).values()
    return [(id(t), getattr(t, "_version", 0), tuple(t.shape)) for t in tensors]


def to_numpy(name: str, tensor: Any) -> tuple[str, np.ndarray]:
    """A tensor as a numpy array, with the name under which it is saved and compared."""
    if isinstance(tensor, np.ndarray):
        return name, tensor
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        return name + BFLOAT16, tensor.contiguous().view(torch.int16).numpy().view(np.uint16)
    return name, tensor.resolve_conj().resolve_neg().numpy()


def from_numpy(name: str, array: np.ndarray, like: Any) -> Any:
    """The inverse of ``to_numpy``: a tensor with the device, dtype and shape of ``like``."""
    if isinstance(like, np.ndarray):
        return array.astype(like.dtype)
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if name.endswith(BFLOAT16):
        tensor = tensor.view(torch.int16).view(torch.bfloat16)
    return tensor.to(device=like.device, dtype=like.dtype).reshape(like.shape)
