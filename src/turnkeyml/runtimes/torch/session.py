"""Sessions for live PyTorch models, shared by the PyTorch runtimes."""

from __future__ import annotations

import contextlib
import copy
import sys
import types
import zlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from turnkeyml import structure
from turnkeyml.cache import BFLOAT16
from turnkeyml.nouns import Profile
from turnkeyml.runtimes.contract import Request, divided

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
_STRUCTURAL = frozenset({"_parameters", "_buffers", "_modules", "_compiled_call_impl", "training"})
MOST_BUFFER_BYTES = 1 << 28
"""Buffers that take more than this together are weights, and are not copied."""
MOST_SHOWN = 32
"""Items of a container whose values are compared."""
MOST_DEPTH = 3
"""Objects within objects whose attributes are compared."""


class LiveSession(ABC):
    """What the sessions of live models share: recorded arguments, in the place of inputs."""

    changes_inputs = False
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    """What the next run gets."""
    _function: Callable[..., Any]
    _recorded: Arguments
    """The arguments of the script's call."""
    _pristine: Arguments
    """The same, with other values if others were fed."""
    _fed: Mapping[str, np.ndarray] | None = None
    """The recorded inputs by name, which are fed first."""
    _buffers: Sequence[tuple[torch.Tensor, torch.Tensor]] = ()
    """Those of the model, each with its values when the session was opened."""

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Take other values for the recorded tensors; no inputs, and those that were fed first,
        stand for the recorded ones."""
        if self._fed is None:
            self._fed = inputs
        is_recorded = not inputs or inputs is self._fed
        self._pristine = self._recorded if is_recorded else _with_values(self._recorded, inputs)
        self._renew_arguments()

    @abstractmethod
    def _renew_arguments(self) -> None:
        """Give the next run copies of the arguments."""

    def constants(self) -> str:
        """A text for everything in the arguments but their tensors."""
        return structure.constants((self._args, self._kwargs))

    def state(self) -> dict[str, str]:
        """What the model holds besides its weights, as texts by name."""
        return state_of(self._function)

    def restart(self) -> None:
        """Give the model the buffers that it had when the session was opened, as the original has
        them in each of its runs: in a cache of keys and values others may have written elsewhere.
        """
        with torch.no_grad(), contextlib.suppress(RuntimeError):  # inference tensors, or resized
            for buffer, known in self._buffers:
                buffer.copy_(known)


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
        self._recorded = self._pristine = (request.live.args, request.live.kwargs)
        self._buffers = _copies_of_buffers(function)
        self._result: Any = None
        self._is_written = False
        """Whether others write to the arguments, so that they do not show what runs do."""
        self._renew_arguments()

    def lanes(self) -> list[TorchSession]:
        """The model with other copies of its arguments, to be called in other threads."""
        return [self, *(self._another() for _ in range(self._instances - 1))]

    def _another(self) -> TorchSession:
        other = copy.copy(self)
        other._result = None
        other._renew_arguments()
        return other

    def replicas(self, count: int) -> list[TorchSession]:
        """The model with so many other copies of its arguments, which can be written to."""
        found = []
        for _ in range(count):
            other = self._another()
            other._pristine = structure.clone(self._recorded)
            other._renew_arguments()
            found.append(other)
        return found

    def writable(self) -> list[np.ndarray | None]:
        """The memory of each recorded tensor that the next run computes on."""
        if self.changes_inputs and self._pristine is self._recorded:  # that of the script
            self._pristine = structure.clone(self._recorded)
        self._is_written = True
        there = self._pristine if self.changes_inputs else (self._args, self._kwargs)
        return [memory_of(tensor) for tensor in structure.leaves(there).values()]

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
        if not self.changes_inputs and not self._is_written:
            self.changes_inputs = self._has_changed()
        return dict(to_numpy(n, t) for n, t in structure.leaves(self._result, "output").items())

    def _has_changed(self) -> bool:
        """Whether a run changed the arguments: by value, as a model may write to their memory."""
        now = (self._args, self._kwargs)
        return _versions(now) != self._versions or not _are_equal(now, self._pristine)

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
        from turnkeyml.runtimes.torch.profile import profile_calls

        def call() -> None:
            self.prepare()
            self.run()

        return profile_calls(call, self._function, seconds)

    def close(self) -> None:
        self._result = None

    def _renew_arguments(self) -> None:
        self._args, self._kwargs = structure.clone(self._pristine)
        self._versions = _versions((self._args, self._kwargs))


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


def _are_equal(now: Arguments, before: Arguments) -> bool:
    """Whether arguments have the values that they had, bit by bit: numbers in containers too."""
    if structure.constants(now) != structure.constants(before):
        return False
    pairs = zip(structure.leaves(now).values(), structure.leaves(before).values(), strict=False)
    return all(_bits(one) == _bits(other) for one, other in pairs)


def _bits(tensor: Any) -> tuple[Any, ...]:
    """The shape of a tensor and a checksum of its values, if they can be read."""
    memory = memory_of(tensor)
    if memory is None:
        return (tuple(tensor.shape),)
    return tuple(tensor.shape), zlib.crc32(np.ascontiguousarray(memory).view(np.uint8).data)


def memory_of(tensor: Any) -> np.ndarray | None:
    """The memory of a tensor as an array; None for tensors that NumPy cannot show, such as sparse
    ones and those on a GPU."""
    if isinstance(tensor, np.ndarray):
        return tensor
    try:
        found = tensor.detach()
        if found.dtype == torch.bfloat16:
            return np.asarray(found.view(torch.int16).numpy()).view(np.uint16)
        return np.asarray(found.numpy())
    except (TypeError, RuntimeError, NotImplementedError):
        return None


def _with_values(recorded: Arguments, inputs: Mapping[str, np.ndarray]) -> Arguments:
    """The arguments with other values of their tensors, given in the order of these.

    A tensor that occurs twice still does, if the values for both are the same.
    """
    arrays = iter(inputs.items())
    made: dict[tuple[int, int], Any] = {}

    def replaced(_: str, tensor: Any) -> Any:
        name, array = next(arrays)
        key = id(tensor), zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data)
        if key not in made:
            made[key] = from_numpy(name, array, like=tensor)
        return made[key]

    args, kwargs = structure.replace(recorded, replaced)
    return args, kwargs


def _copies_of_buffers(function: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The buffers of a model with copies of them; none if they are as large as weights."""
    buffers = [*function.buffers()] if isinstance(function, torch.nn.Module) else []
    if sum(buffer.nbytes for buffer in buffers) > MOST_BUFFER_BYTES:
        return []
    return [(buffer, buffer.detach().clone()) for buffer in buffers]


def state_of(function: Any) -> dict[str, str]:
    """What a model holds besides its weights, as texts by name: the numbers, texts and tensors in
    its attributes, and what its containers hold."""
    found: dict[str, str] = {}
    modules = function.named_modules() if isinstance(function, torch.nn.Module) else ()
    for path, module in modules:
        for name, value in {**vars(module), **module._buffers}.items():
            if name in _STRUCTURAL or name.endswith("_hooks"):
                continue
            found.update(_texts(f"{path}.{name}" if path else name, value))
    return found


def _texts(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts of a value by name: of a plain object those of its attributes."""
    yield name, _in_text(value)
    if depth < MOST_DEPTH and _is_plain(value):
        for attribute, held in [*vars(value).items()]:
            yield from _texts(f"{name}.{attribute}", held, depth + 1)


def _is_plain(value: Any) -> bool:
    """Whether it is an object that holds values, such as a history. Pools, locks and other objects
    of Python's own library, and tensors, change by themselves or are told otherwise."""
    kind = type(value)
    if not kind.__dictoffset__ or isinstance(value, (torch.nn.Module, torch.Tensor, type)):
        return False
    library = kind.__module__.partition(".")[0]
    return kind is types.SimpleNamespace or library not in (*sys.stdlib_module_names, "torch")


def _in_text(value: Any) -> str:
    """A short text that differs if a value does; of other objects only the type."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)[:40]
    if torch.is_tensor(value) or isinstance(value, np.ndarray):
        shape, *checksum = _bits(value)
        return f"tensor {list(shape)} {checksum[0] if checksum else ''}".strip()
    if isinstance(value, (dict, list, set, tuple, deque)):
        values = [*value.values()] if isinstance(value, dict) else [*value]
        shown = ", ".join(map(_in_text, values[:MOST_SHOWN]))
        return f"{type(value).__name__} of {len(value)}: {shown}"
    return type(value).__name__


def to_numpy(name: str, tensor: Any) -> tuple[str, np.ndarray]:
    """Copy a tensor to a numpy array, with the name under which it is saved and compared.

    A model may return the same memory from every call, so that an array that shares it would change
    with the next run.
    """
    if isinstance(tensor, np.ndarray):
        return name, tensor.copy()
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        bits = tensor.contiguous().view(torch.int16).numpy().view(np.uint16)
        return name + BFLOAT16, bits.copy()
    return name, np.array(tensor.resolve_conj().resolve_neg().numpy())


def from_numpy(name: str, array: np.ndarray, like: Any) -> Any:
    """The inverse of ``to_numpy``: a tensor with the device, dtype and shape of ``like``."""
    if isinstance(like, np.ndarray):
        return array.astype(like.dtype)
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if name.endswith(BFLOAT16):
        tensor = tensor.view(torch.int16).view(torch.bfloat16)
    if like.layout != torch.strided:
        return tensor.to(device=like.device, dtype=like.dtype).reshape(like.shape)
    made = torch.empty_like(like)  # which has the strides of the other, such as channels last
    return made.copy_(tensor.reshape(like.shape))
