"""Keeping a model until the build without extending the lifetime of the script's own object.

A script may delete a model, or never assign it to a variable. We still build it after the script
has ended, and the script must still see the object freed at the usual time. So we keep a weak
reference to the object and a stand-in that shares its tensors. The stand-in is used only if the
object was freed.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch


class TorchKeeper:
    """Returns a model later, even if the script's own object was freed."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._stand_in: torch.nn.Module | None = None
        self._weak: weakref.ref[torch.nn.Module] | None = None
        self._strong: torch.nn.Module | None = None
        if isinstance(model, torch.jit.ScriptModule):
            self._strong = model
            return
        try:
            self._stand_in = _stand_in(model, {})
            self._weak = weakref.ref(model)
        except Exception:  # noqa: BLE001 - an unusual class: a strong reference is safe
            self._strong = model

    def model(self) -> torch.nn.Module:
        """The script's own object if it still exists, otherwise its stand-in."""
        if self._strong is not None:
            return self._strong
        assert self._weak is not None
        alive = self._weak()
        if alive is not None:
            return alive
        assert self._stand_in is not None
        return self._stand_in


def _stand_in(model: torch.nn.Module, done: dict[int, Any]) -> torch.nn.Module:
    """A shallow copy: an object of the same class with copied submodules and shared tensors."""
    if id(model) in done:
        return done[id(model)]
    if isinstance(model, torch.jit.ScriptModule):
        return model
    twin: torch.nn.Module = object.__new__(model.__class__)
    done[id(model)] = twin
    attributes = dict(vars(model))
    attributes["_modules"] = {
        name: None if part is None else _stand_in(part, done)
        for name, part in model._modules.items()
    }
    for name, value in attributes.items():
        if name != "_modules" and type(value) is dict:
            attributes[name] = dict(value)
        elif type(value) is list:
            attributes[name] = [
                _stand_in(v, done) if isinstance(v, torch.nn.Module) else v for v in value
            ]
    vars(twin).update(attributes)
    return twin
