"""The branches that a model takes: what it reads of the values of its inputs, and what it runs.

A Python ``if``, index, count or size that depends on the inputs has to read a number from a tensor.
We follow the inputs through every operator and note each such read, with the line it is made from,
and the operators that run with the weights they use. Two calls with different operators, or that
read different booleans or integers, took different branches.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from turnkeyml.frameworks.torch.running import (
    EveryOperator,
    threads_within,
    uncompiled,
)

READERS = frozenset({"tolist", "numpy", "tensor", "tensor_split", "_pack_padded_sequence"})
"""Functions that read values without any operator."""

LEAVING = frozenset(
    {
        "__array__",
        "__dlpack__",
        "__reduce_ex__",
        "__repr__",
        "_nnz",
        "apply_",
        "data_ptr",
        "map2_",
        "map_",
        "untyped_storage",
    }
)
"""Functions with which values leave torch, so that its tracer does not know what becomes of them:
to NumPy and others, to text and bytes, to Python functions, as an address and as a count."""

TO_SPARSE = "aten::_to_sparse"
"""How the names of operators begin whose results have as many values as there are numbers but 0."""

SHAPE_ONLY = ("_like", "new_empty", "new_full", "new_ones", "new_zeros")
"""Endings of the names of operators whose results do not depend on the values of a tensor."""

OWN = (os.path.dirname(torch.__file__), os.path.dirname(__file__))
"""Code that is not the model's."""

COMPARISONS = frozenset({"aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge"})
"""Operators that compare values with a number."""

DECISION_ELEMENTS = 64
"""Larger arrays that are read are data."""


class TooMuchWork(Exception):
    """The model runs more operators, or computes more numbers, than it may."""


@dataclass(frozen=True)
class CallWork:
    """How much a call does."""

    operators: int
    numbers: int
    """The sizes of the results of all operators together."""


Spot = tuple[tuple[str, int], ...]
"""The calls that lead to a read, as the names of files and the offsets of instructions."""


@dataclass(frozen=True)
class Read:
    """A line that reads a value of a tensor that depends on the inputs or on chance."""

    spot: Spot
    place: str
    """The file and the line, for people."""
    lines: frozenset[tuple[str, int]]
    """The lines that lead there, as the names of files and their line numbers."""
    values: tuple[Any, ...]
    """What was read there, in order; None for numbers that need not decide anything."""
    leaves: bool = False
    """Whether what is read leaves torch."""

    @property
    def is_boolean(self) -> bool:
        """Whether nothing but booleans was read there, which can come out in two ways only."""
        return all(isinstance(value, bool) for value in self.values)


@dataclass
class Branches:
    """What one call of a model read and ran."""

    reads: dict[Spot, Read] = field(default_factory=dict)
    """By the instructions that lead there: one line may read several values."""
    operators: int = 0
    numbers: int = 0
    """The sizes of the results of all operators together."""
    weights: set[int] = field(default_factory=set)
    """The numbers of the weights that it used."""
    has_dynamic_shapes: bool = False
    """Whether the shape of some tensor depends on the values of the inputs."""
    compared: dict[float, None] = field(default_factory=dict)
    """The numbers that it compares values with, in order."""
    mentioned: dict[float, None] = field(default_factory=dict)
    """The numbers in code that reads a value: Python may compare it with one of them."""
    thread: int = field(default_factory=threading.get_ident)
    """That of the call. What is read in others, torch's tracer does not see."""
    _digest: Any = field(default_factory=hashlib.sha256)

    @property
    def path(self) -> str:
        """The same for two calls that run the same operators with the same weights."""
        return str(self._digest.hexdigest())

    def same_as(self, other: Branches) -> bool:
        """Whether two calls took the same branches, as far as can be seen."""
        reads = {spot: read.values for spot, read in self.reads.items()}
        others = {spot: read.values for spot, read in other.reads.items()}
        return self.path == other.path and reads == others

    def add_operator(self, name: str, weights: Iterable[int], numbers: int) -> None:
        self.operators += 1
        self.numbers += numbers
        self.weights.update(weights)
        self._digest.update(f"{name} {sorted(weights)};".encode())

    def add_read(self, value: Any, *, leaves: bool = False) -> None:
        frames = list(_frames(sys._getframe(1)))
        lines = [(frame.f_code.co_filename, frame.f_lineno) for frame in frames]
        model = [frame for frame in frames if not frame.f_code.co_filename.startswith(OWN)]
        own = (model or frames)[0].f_code.co_filename, (model or frames)[0].f_lineno
        leaves |= threading.get_ident() != self.thread
        self.mentioned.update(dict.fromkeys(n for frame in model[:2] for n in numbers_in(frame)))
        spot = tuple((frame.f_code.co_filename, frame.f_lasti) for frame in frames)
        place = f"{os.path.basename(own[0])}, line {own[1]}"
        earlier = self.reads.get(spot, Read(spot, place, frozenset(lines), (), leaves))
        self.reads[spot] = replace(earlier, values=(*earlier.values, _decisive(value)))


def branches_of(
    call: Callable[[], Any],
    model: torch.nn.Module,
    inputs: Iterable[Any],
    most: CallWork | None = None,
) -> Branches:
    """The branches of a call that gets these tensors as inputs.

    Raises ``TooMuchWork`` beyond ``most``: the values that it reads may be loop counts or sizes.
    """
    branches = Branches()
    followed = _Followed(inputs)
    weights = {}
    for number, tensor in enumerate(_tensors_of(model)):
        with contextlib.suppress(NotImplementedError, RuntimeError):  # some have no storage
            weights[tensor.untyped_storage()._cdata] = number

    class Operators(EveryOperator):
        def ran(self, function: Any, args: tuple[Any, ...], kwargs: Any, result: Any) -> Any:
            tensors = [t for t in tree_leaves((args, kwargs)) if torch.is_tensor(t)]
            used = {weights[key] for t in tensors if (key := _storage(t)) in weights}
            made = sum(t.numel() for t in tree_leaves(result) if torch.is_tensor(t))
            branches.add_operator(str(function), used, made)
            if most is not None and branches.operators > most.operators:
                raise TooMuchWork(f"it runs more than {most.operators:,} operators")
            if most is not None and branches.numbers > most.numbers:
                raise TooMuchWork(f"it computes more than {most.numbers:,} numbers")
            if function._schema.name in COMPARISONS:
                branches.compared.update(dict.fromkeys(_numbers(args, followed)))
            random = torch.Tag.nondeterministic_seeded in function.tags
            if random or any(t in followed for t in tensors):
                _note(function, args, result, branches, followed)
            return result

    class Functions(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            name = getattr(function, "__name__", "")
            if name in READERS or name in LEAVING:
                tensors = [t for t in tree_leaves((args, kwargs)) if torch.is_tensor(t)]
                for tensor in filter(followed.__contains__, tensors):
                    branches.add_read(tensor, leaves=name in LEAVING)
            return function(*args, **(kwargs or {}))

    @contextlib.contextmanager
    def watching() -> Iterator[None]:
        with Functions(), Operators():
            yield

    with uncompiled(), threads_within(watching), watching():
        call()
    return branches


def _note(
    function: Any, args: tuple[Any, ...], result: Any, branches: Branches, followed: _Followed
) -> None:
    """Note what an operator does whose arguments depend on the inputs."""
    if torch.Tag.data_dependent_output in function.tags and not torch.is_tensor(result):
        branches.add_read(result)
    branches.has_dynamic_shapes |= _has_dynamic_shape(function, args)
    if not function._schema.name.endswith(SHAPE_ONLY):
        for tensor in tree_leaves(result):
            followed.add(tensor)


def _numbers(args: tuple[Any, ...], followed: _Followed) -> Iterator[float]:
    """The numbers among the arguments of a comparison with values that depend on the inputs."""
    if not any(torch.is_tensor(t) and t in followed for t in args):
        return
    for value in args:
        single = torch.is_tensor(value) and value.numel() == 1 and value not in followed
        if single or isinstance(value, (int, float)):
            yield float(value)


def _has_dynamic_shape(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether the shape of the result depends on values."""
    if function._schema.name.startswith(TO_SPARSE):
        return True
    if torch.Tag.dynamic_output_shape not in function.tags:
        return False
    if function._schema.name != "aten::index":
        return True
    indices = [i for i in args[1] if torch.is_tensor(i)]
    return any(index.dtype in (torch.bool, torch.uint8) for index in indices)


class _Followed:
    """The tensors that depend on the inputs or on chance, with all that shares their memory."""

    def __init__(self, inputs: Iterable[Any]) -> None:
        # A weak reference keeps the address of a storage from being used again, not its memory.
        self._storages: dict[int, StorageWeakRef] = {}
        for tensor in inputs:
            self.add(tensor)

    def add(self, tensor: Any) -> None:
        memory = _memory(tensor) if torch.is_tensor(tensor) else None
        if memory is not None and memory._cdata not in self._storages:
            self._storages[memory._cdata] = StorageWeakRef(memory)

    def __contains__(self, tensor: Any) -> bool:
        return _storage(tensor) in self._storages


def _memory(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    """The memory of a tensor, of a sparse one that of its values; None for kinds that have none."""
    try:
        if tensor.layout is torch.sparse_coo:
            return tensor._values().untyped_storage()
        dense = tensor if tensor.layout is torch.strided else tensor.values()
        return dense.untyped_storage()
    except (NotImplementedError, RuntimeError):  # nested ones
        return None


def _storage(tensor: torch.Tensor) -> int:
    """What identifies the memory of a tensor; 0 if it has none."""
    memory = _memory(tensor)
    return 0 if memory is None else int(memory._cdata)


def _tensors_of(model: torch.nn.Module) -> Iterator[torch.Tensor]:
    """The weights, buffers and other tensors of a model."""
    for module in model.modules():
        values = [*module._parameters.values(), *module._buffers.values(), *vars(module).values()]
        yield from filter(torch.is_tensor, values)


def _decisive(value: Any) -> Any:
    """A value that decides something: a boolean, an integer, or a few of them; None for others."""
    if torch.is_tensor(value):
        few = value.numel() <= DECISION_ELEMENTS and not value.is_floating_point()
        return value.detach().to(torch.int64).flatten().numpy().tobytes() if few else None
    return value if isinstance(value, int) else None


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The calls that lead to a frame from the one that watches, innermost first."""
    while frame is not None and frame.f_code is not branches_of.__code__:
        yield frame
        frame = frame.f_back


def numbers_in(frame: FrameType) -> Iterator[float]:
    """The numbers that the code of a function uses: those in it, of globals and of ``self``."""
    names, owner = frame.f_code.co_names, frame.f_locals.get("self")
    inner = [_attribute(owner, name) for name in names]  # such as self.config
    owners = [owner, *(value for value in inner if hasattr(value, "__dict__"))]
    used = [_attribute(one, name) for one in owners for name in names]
    for value in (*frame.f_code.co_consts, *map(frame.f_globals.get, names), *used):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield float(value)


def _attribute(owner: Any, name: str) -> Any:
    """An attribute as it is kept, without running any code for it; None if there is none."""
    return inspect.getattr_static(owner, name, None)
