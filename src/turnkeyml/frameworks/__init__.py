"""Kinds of models: one folder per framework behind one small interface."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnkeyml.frameworks.framework import Framework

__all__ = ["FRAMEWORKS", "find_framework", "framework_of", "frameworks", "reader_of"]

FRAMEWORKS = ("torch", "onnx")
"""The folders, in the order in which they are asked."""


def frameworks() -> list[Framework]:
    """Every framework; none of them imports its library before it must."""
    return [find_framework(name) for name in FRAMEWORKS]


def find_framework(name: str) -> Framework:
    """The framework in the folder of that name."""
    framework: Framework = import_module(f"{__name__}.{name}").FRAMEWORK
    return framework


def reader_of(path: str) -> Framework | None:
    """The framework whose models a file holds; None for a script."""
    suffixes = {f.suffix: f for f in frameworks() if f.suffix}
    return next((f for s, f in suffixes.items() if path.lower().endswith(s)), None)


def framework_of(model: Any) -> Framework | None:
    """The framework of a live model; None where it belongs to none."""
    return next((f for f in frameworks() if f.owns(model)), None)
