"""Sessions for live PyTorch models on a GPU, with copies of the tensors of the module there.

The module stays the same object, as its hooks and its callers know it. Its own tensors are kept and
come back as they were; casting a copy loses nothing of them. Contestants of a race that want the
same module in several precisions take turns.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.cache import thread_lock
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Profile
from turnkeyml.runtimes.contract import Request
from turnkeyml.runtimes.nvidia.runtime import instances_of
from turnkeyml.runtimes.torch.session import LiveSession, memory_of, to_numpy

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}
"""The dtypes that a live model can be cast to, by precision."""
_active: dict[int, Placement] = {}
"""The placement whose copies a module uses, by the id of the module."""
_moving = thread_lock()
"""Held while a module gets other tensors: threads that run it must not see it in between."""
_placements: dict[tuple[int, torch.device, torch.dtype | None], Placement] = {}


class GpuSession(LiveSession):
    """A live model whose tensors are on a GPU until the session is closed.

    A run copies the inputs from pinned memory, calls the model, and copies the outputs to pinned
    memory; like every work for a GPU it returns before it is done.
    """

    asynchronous = True

    def __init__(self, prepare: Callable[[Any], Any], request: Request, index: int) -> None:
        assert request.live is not None
        self._instances = instances_of(request)
        self._threads = max(1, request.threads // self._instances)
        self._is_shared = request.instances is not None
        torch.set_num_threads(self._threads)
        torch.cuda.set_device(index)
        self._index = index
        self._device = torch.device("cuda", index)
        self._stream = torch.cuda.current_stream(self._device)
        self._own_stream: torch.cuda.Stream | None = None
        """That of the thread that runs it, once it is one of several lanes."""
        self._cast_to = request.cast_to
        self._dtype = DTYPES.get(request.cast_to)
        self._recorded = self._pristine = (request.live.args, request.live.kwargs)
        self._placement = place(request.live.function, self._device, self._dtype)
        self._placement.activate()
        self._function = prepare(request.live)
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._inputs: list[tuple[torch.Tensor, torch.Tensor]] = []
        """Each input on the GPU with its values in pinned memory."""
        self._hosts: list[torch.Tensor] = []
        """Pinned memory for each output."""
        self._result: Any = None

    def lanes(self) -> list[GpuSession]:
        """The model with other copies of its arguments, to be called in other threads, each with
        a stream of its own; this session keeps the stream that it has."""
        return [self, *(self._another() for _ in range(self._instances - 1))]

    def _another(self) -> GpuSession:
        other = copy.copy(self)
        other._result, other._hosts = None, []
        other._own_stream = torch.cuda.Stream(self._device)
        other._renew_arguments()
        return other

    def writable(self) -> list[np.ndarray | None]:
        """The pinned memory that each run copies the values of the recorded tensors from."""
        hosts = {id(device): host for device, host in self._inputs}
        there = structure.leaves((self._args, self._kwargs)).values()
        return [memory_of(hosts.get(id(tensor), tensor)) for tensor in there]

    def attach(self) -> None:
        """Let this thread use its GPU and its stream."""
        torch.cuda.set_device(self._index)
        if self._own_stream is not None:
            torch.cuda.set_stream(self._own_stream)
            self._stream = self._own_stream

    def prepare(self) -> None:
        """Copy the recorded arguments again, if runs of this model add to them or replace them.

        Nothing else needs it, as each run copies the values of the inputs.
        """
        if self.changes_inputs:
            self._renew_arguments()

    def run(self) -> None:
        self._result = None  # keeping it would double the memory of the next run
        for device, host in self._inputs:
            device.copy_(host, non_blocking=True)
        result = self._call()
        found = _tensors(result)
        if [t.shape for t in found] != [t.shape for t in self._hosts]:
            self._hosts = [_pinned(t) for t in found]
        for host, tensor in zip(self._hosts, found, strict=True):
            host.copy_(tensor, non_blocking=True)
        self._result = result

    def _call(self) -> Any:
        self._placement.activate()
        with torch.no_grad():
            return self._function(*self._args, **self._kwargs)

    def synchronize(self) -> None:
        """Wait for the stream of a lane; without other lanes, for all streams of the model."""
        if self._instances > 1:
            self._stream.synchronize()
        else:
            torch.cuda.synchronize(self._device)

    def outputs(self) -> dict[str, np.ndarray]:
        """What the last run computed; of a cast model in the dtype that numpy can compute with.

        The model has its own tensors then, as whoever compares may run it; the next run moves them.
        """
        if _identities((self._args, self._kwargs)) != self._moved_identities:
            self.changes_inputs = True
        found = structure.leaves(self._result, "output")
        # First of all: a model may return one of its buffers, which are about to move.
        arrays = dict(to_numpy(name, self._widened(tensor)) for name, tensor in found.items())
        self._placement.restore()
        return arrays

    def _widened(self, tensor: Any) -> Any:
        cast = torch.is_tensor(tensor) and tensor.dtype == self._dtype
        return tensor.float() if cast else tensor

    def device_times(self, runs: int) -> list[float]:
        """Milliseconds of each run by the events of its stream."""
        torch.cuda.reset_peak_memory_stats(self._device)
        pairs = [(_event(), _event()) for _ in range(runs)]
        for start, end in pairs:
            self.prepare()
            start.record(self._stream)
            self._result = self._call()
            end.record(self._stream)
        self._stream.synchronize()
        return [start.elapsed_time(end) for start, end in pairs]

    def profile(self, seconds: float) -> Profile:
        """The operators of this model with their kernels, by PyTorch's profiler."""
        from turnkeyml.runtimes.torch.gpu_profile import profile_gpu_calls

        def start() -> None:
            self.prepare()
            self.run()

        modes = zip(("convolution", "matrix product"), _math_modes(), strict=True)
        tf32 = [kind for kind, is_on in modes if is_on]
        return profile_gpu_calls(start, self.synchronize, self._function, seconds, tf32)

    def device_memory(self) -> int:
        """The peak of what its tensors took, weights included, since ``device_times``."""
        return int(torch.cuda.max_memory_allocated(self._device))

    def settings(self) -> dict[str, Any]:
        convolutions, products = _math_modes()
        shared = {"instances": self._instances, "threads_per_instance": self._threads}
        return {
            "num_threads": torch.get_num_threads(),
            "gradients": False,
            "cast_to": self._cast_to,
            "tf32": convolutions or products,
            "tf32_convolutions": convolutions,
            "tf32_products": products,
            "cuda": str(torch.version.cuda),
            "cudnn": torch.backends.cudnn.version(),
            **(shared if self._is_shared else {}),
        }

    def close(self) -> None:
        """Give the model its own tensors back, and free the memory of the GPU."""
        self._result, self._hosts, self._inputs = None, [], []
        self._args, self._kwargs = (), {}
        self._placement.release()
        torch.cuda.empty_cache()

    def _renew_arguments(self) -> None:
        self._inputs = []
        self._args, self._kwargs = structure.replace(self._pristine, structure.once(self._moved))
        self._moved_identities = _identities((self._args, self._kwargs))

    def _moved(self, _: str, tensor: Any) -> Any:
        """A tensor on the GPU, whose values each run takes from pinned memory."""
        if not torch.is_tensor(tensor):
            return np.array(tensor)
        dtype = self._dtype if tensor.is_floating_point() else None
        moved = tensor.detach().to(self._device, dtype or tensor.dtype, copy=True)
        if 0 in moved.stride():  # an expanded tensor, which nothing can be copied to
            moved = moved.contiguous()
        host = _pinned(moved)
        host.copy_(tensor.detach())
        self._inputs.append((moved, host))
        return moved


class CompiledGpuSession(GpuSession):
    """A model whose first run compiles it, with the help of processes that stay."""

    def outputs(self) -> dict[str, np.ndarray]:
        """What the last run computed. It is compiled by now: the processes that compiled it would
        use processors while others are measured."""
        compiling = sys.modules.get("torch._inductor.async_compile")
        if compiling is not None:
            compiling.shutdown_compile_workers()
        return super().outputs()


def _tensors(value: Any) -> list[torch.Tensor]:
    """The tensors of a result, in the same order each time; fast for the usual containers."""
    if isinstance(value, torch.Tensor):
        return [value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return []
    if isinstance(value, (list, tuple, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return [tensor for part in parts for tensor in _tensors(part)]
    return [t for t in structure.leaves(value).values() if torch.is_tensor(t)]


def _pinned(like: torch.Tensor) -> torch.Tensor:
    """Memory of the host for a tensor, which the GPU can read and write by itself."""
    return torch.empty_like(like, device="cpu", pin_memory=True)


def _identities(value: Any) -> list[tuple[int, tuple[int, ...]]]:
    """A value that differs after a tensor was replaced or added."""
    return [(id(t), tuple(t.shape)) for t in structure.leaves(value).values()]


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)


def _math_modes() -> tuple[bool, bool]:
    """Whether convolutions and matrix products in fp32 may round their factors to TF32."""
    return _allows_tf32(torch.backends.cudnn, "conv"), _allows_tf32(torch.backends.cuda.matmul)


def _allows_tf32(backend: Any, part: str = "") -> bool:
    try:
        return bool(backend.allow_tf32)
    except RuntimeError:  # the script has set it through the interface of torch 2.9 and later
        return str(getattr(getattr(backend, part, backend), "fp32_precision", "")) == "tf32"


def place(module: Any, device: torch.device, dtype: torch.dtype | None) -> Placement:
    """Copies of a module's tensors on a device, cast if a dtype is given; ``release`` them."""
    if not isinstance(module, torch.nn.Module):
        raise MeasureError(
            f"A {type(module).__name__} cannot be moved to a GPU; call a torch.nn.Module."
        )
    key = (id(module), device, dtype)
    if key not in _placements:
        active = _active.get(id(module))
        if active is not None:  # what is copied are the module's own tensors
            active.restore()
        _placements[key] = Placement(module, device, dtype)
    _placements[key].users += 1
    return _placements[key]


class Placement:
    """Copies of the tensors of a module on a device, which take their place on demand."""

    def __init__(self, module: Any, device: torch.device, dtype: torch.dtype | None) -> None:
        self._module = module
        self._device = device
        self._dtype = dtype
        self._copies: dict[int, torch.Tensor] = {}
        self._slots = [(slot, own, self._copy(own)) for slot, own in _slots(module)]
        self.users = 0

    def _copy(self, own: torch.Tensor) -> torch.Tensor:
        """A copy; the same one for a tensor that several names share."""
        if id(own) not in self._copies:
            dtype = self._dtype if own.is_floating_point() else None
            self._copies[id(own)] = own.detach().to(self._device, dtype or own.dtype)
        return self._copies[id(own)]

    def activate(self) -> None:
        """Let the module use the copies; does nothing if it does already."""
        if _active.get(id(self._module)) is self:
            return
        with _moving:
            if _active.get(id(self._module)) is self:  # another thread has done it meanwhile
                return
            for slot, _, copy in self._slots:
                slot.fill(copy)
            self._flatten()
            _active[id(self._module)] = self

    def _flatten(self) -> None:
        """Put the weights of recurrent layers where cuDNN wants them, as ``Module.to`` does."""
        for part in self._module.modules():
            if isinstance(part, torch.nn.RNNBase):
                part.flatten_parameters()

    def restore(self) -> None:
        """Give the module its own tensors back."""
        for slot, own, _ in self._slots:
            slot.fill(own)
        _active.pop(id(self._module), None)

    def release(self) -> None:
        """Free the copies, once nobody uses them any more."""
        self.users -= 1
        if self.users == 0:
            if _active.get(id(self._module)) is self:
                self.restore()
            _placements.pop((id(self._module), self._device, self._dtype), None)
            self._slots, self._copies = [], {}


class _Entry:
    """A place of a tensor in a module."""

    def __init__(self, entries: dict[str, Any], name: str) -> None:
        self._entries = entries
        self._name = name

    def fill(self, tensor: torch.Tensor) -> None:
        self._entries[self._name] = tensor


class _Data(_Entry):
    """A place whose tensor stays the same object and gets other data.

    Whoever holds it sees the change, and what torch.compile knows of the module stays true: it
    checks a module in which something was replaced more slowly ever after.
    """

    def __init__(self, entries: dict[str, Any], name: str) -> None:
        super().__init__(entries, name)
        self._tensor: torch.Tensor = entries[name]

    def fill(self, tensor: torch.Tensor) -> None:
        self._tensor.data = tensor
        if self._entries.get(self._name) is not self._tensor:  # the model has put another there
            super().fill(self._tensor)


def _slots(module: Any) -> Iterator[tuple[_Entry, torch.Tensor]]:
    """Every place of a tensor in a module, with the tensor that is there."""
    data: dict[int, torch.Tensor] = {}
    for part in module.modules():
        for entries in (part._parameters, part._buffers, vars(part)):
            for name, tensor in entries.items():
                if not isinstance(tensor, torch.Tensor):
                    continue
                if _takes_other_data(tensor):
                    yield _Data(entries, name), data.setdefault(id(tensor), tensor.data)
                else:
                    yield _Entry(entries, name), tensor


def _takes_other_data(tensor: torch.Tensor) -> bool:
    """Whether a tensor can get data that are elsewhere, or of another dtype."""
    if isinstance(tensor, torch.nn.Parameter):
        return True
    return type(tensor) is torch.Tensor and not tensor.is_inference()
