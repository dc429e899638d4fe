"""Where the tensors of a live PyTorch module are: its own ones, or copies on a GPU.

The module stays the same object, as its hooks and its callers know it. Its own tensors are kept and
come back as they were; casting a copy loses nothing of them. Contestants of a race that want the
same module in several precisions take turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from turnkeyml.cache import thread_lock
from turnkeyml.errors import MeasureError

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}
"""The dtypes that a live model can be cast to, by precision."""


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


_active: dict[int, Placement] = {}
"""The placement whose copies a module uses, by the id of the module."""
_moving = thread_lock()
"""Held while a module gets other tensors: threads that run it must not see it in between."""
_placements: dict[tuple[int, torch.device, torch.dtype | None], Placement] = {}


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
