"""The frameworks: one folder per framework, all behind one small interface."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnkeyml.frameworks.framework import Framework

__all__ = ["FRAMEWORKS", "find_framework", "framework_of", "frameworks", "reader_of"]

FRAMEWORKS = ("torch", "onnx", "keras", "sklearn")
"""The names of the folders. A model that two frameworks own belongs to the later one."""


def frameworks() -> list[Framework]:
    """Every framework. Each imports its library lazily."""
    return [find_framework(name) for name in FRAMEWORKS]


def find_framework(name: str) -> Framework:
    """The framework with this folder name."""
    framework: Framework = import_module(f"{__name__}.{name}").FRAMEWORK
    return framework


def reader_of(path: str) -> Framework | None:
    """The framework that reads this model file, by suffix; None for a script."""
    suffixes = {f.suffix: f for f in frameworks() if f.suffix}
    return next((f for s, f in suffixes.items() if path.lower().endswith(s)), None)


def framework_of(model: Any) -> Framework | None:
    """The framework of a live model; None for an object of no known framework."""
    return next((f for f in reversed(frameworks()) if f.owns(model)), None)
