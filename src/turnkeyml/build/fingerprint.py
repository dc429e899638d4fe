"""Digests of files, and of objects with their code and settings."""

from __future__ import annotations

import hashlib
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = [
    "DEPTH",
    "Code",
    "checksum",
    "digest",
    "file_digest",
    "object_fingerprint",
]

_INSTALLED = tuple(
    {str(sysconfig.get_path(k)) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
    # Also of the environment that a virtual one with system packages borrows from.
    | {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
)
_PRIMITIVE = (str, int, float, bool, complex, bytes, type(None))
DEPTH = 4
"""How many levels of a nested setting are included."""
_MAX_ITEMS = 1000

Special = Callable[[Any], "list[str] | None"]
"""Returns the texts for a framework's own value; None for any other value."""


def digest(*parts: str) -> str:
    """A short hash of some texts."""
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:16]


def object_fingerprint(value: Any) -> str:
    """A digest of the code of an object's class and of its settings."""
    code = Code()
    return digest(*code.methods(type(value)), *code.value(value, DEPTH))


def file_digest(paths: Iterable[Path]) -> str:
    """A digest of the names and the content of some files."""
    files = list(paths)
    return digest(*(file.name for file in files), checksum(files))


def checksum(paths: Iterable[Path]) -> str:
    """The SHA-256 of the concatenated content of some files."""
    sha256 = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(1 << 22):
                sha256.update(block)
    return sha256.hexdigest()


def _is_users(function: types.FunctionType) -> bool:
    """Whether a function is user code: neither standard library nor installed package."""
    return not function.__code__.co_filename.startswith(_INSTALLED)


def _is_users_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and not file.startswith(_INSTALLED)


class Code:
    """Serializes values and functions as texts for a digest, each function once.

    ``special`` serializes the values that only a framework knows, such as tensors.
    """

    def __init__(self, special: Special | None = None) -> None:
        self._seen: set[int] = set()
        self._special = special

    def value(self, value: Any, depth: int) -> Iterator[str]:
        """A setting: primitives by value, functions by code, objects by class and attributes."""
        if isinstance(value, _PRIMITIVE):
            yield repr(value)
        elif isinstance(value, types.MethodType):
            yield from self.function(value.__func__)
        elif isinstance(value, types.FunctionType):
            yield from self.function(value)
        elif isinstance(value, (type, types.BuiltinFunctionType)):
            yield f"{value.__module__}.{value.__qualname__}"
        elif depth > 0 and isinstance(value, (list, tuple)):
            for item in value[:_MAX_ITEMS]:
                yield from self.value(item, depth - 1)
        elif depth > 0 and isinstance(value, (set, frozenset)):
            yield repr(sorted(map(repr, value)))
        elif self._special is not None and (words := self._special(value)) is not None:
            yield from words
        elif depth > 0:
            yield type(value).__qualname__
            items = value if isinstance(value, dict) else _plain_attributes(value)
            for name, item in list(items.items())[:_MAX_ITEMS]:
                yield f"{name}="
                yield from self.value(item, depth - 1)

    def methods(self, kind: type) -> Iterator[str]:
        """The code of a class."""
        if id(kind) in self._seen:
            return
        self._seen.add(id(kind))
        for name, member in sorted(vars(kind).items()):
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(function, types.FunctionType):
                yield name
                yield from self.function(function)

    def function(self, function: Any) -> Iterator[str]:
        """The code of a function, its defaults and closure, and the user code that it calls."""
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        yield from _code(function.__code__)
        bound = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            try:
                bound.append(cell.cell_contents)
            except ValueError:
                continue  # an empty cell
        for value in bound:
            yield from self.value(value, 1)
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.FunctionType):
                if value.__module__ == function.__module__ or _is_users(value):
                    yield from self.function(value)
            elif isinstance(value, types.ModuleType) and _is_users_module(value):
                for inner in function.__code__.co_names:
                    yield from self.value(vars(value).get(inner), 2)
            elif not name.startswith("__") and not isinstance(value, types.ModuleType):
                yield f"{name}="
                yield from self.value(value, 2)


def _plain_attributes(value: Any) -> dict[str, Any]:
    """The instance attributes of an object."""
    attributes = getattr(value, "__dict__", {})
    return attributes if isinstance(attributes, dict) else {}


def _code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant)
        elif isinstance(constant, frozenset):
            yield repr(sorted(map(repr, constant)))  # set order varies from run to run
        else:
            yield repr(constant)
