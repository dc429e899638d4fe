"""The import path of ``ExportPytorch`` that sequence files use."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "ExportPytorch":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("turnkeyml.frameworks.torch.export").ExportPytorch
