"""Digests of files, and of objects with their code and settings.

The user's own code counts, and not that of a library: what a package manager installed, however the
interpreter finds it, in an environment, in the user's site, in Debian's dist-packages, in a folder
of PYTHONPATH or in another environment. The user's are the script, what lies beside it, and
editable installs.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from turnkeyml.cache import checksum

_PRIMITIVE = (str, int, float, bool, complex, bytes, type(None))

DEPTH = 4
"""How many levels of a nested setting are included."""

_MAX_ITEMS = 1000

MOST_VALUES = 50_000
"""How many values and functions are included in all, so that the walk ends in any code."""

MOST_NESTED = 40
"""How many functions deep calls are followed."""

_INSTALL_FOLDERS = frozenset({"site-packages", "dist-packages"})

_STANDARD_LIBRARY = frozenset(
    os.path.realpath(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib")
)

_OURS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

_FRAMEWORKS = ("torch", "numpy", "onnx", "onnxruntime")
"""Packages that are libraries even if they run from a checkout of their source code."""

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


class Code:
    """Serializes values and functions as texts for a digest, each function once.

    ``special`` serializes the values that only a framework knows, such as tensors. What cannot be
    read is left out: the digest is less precise then, and that is all.
    """

    def __init__(self, special: Special | None = None) -> None:
        self._seen: set[int] = set()
        self._special = special
        self._left = MOST_VALUES
        self._nested = 0

    def value(self, value: Any, depth: int) -> Iterator[str]:
        """A setting: primitives by value, functions by code, objects by class and attributes."""
        self._left -= 1
        if self._left < 0:
            return
        try:
            yield from self._value(value, depth)
        except Exception as error:  # noqa: BLE001 - a user's object may raise anything
            yield f"{type(value).__qualname__}: {type(error).__name__}"

    def _value(self, value: Any, depth: int) -> Iterator[str]:
        if isinstance(value, _PRIMITIVE):
            yield repr(value)
        elif isinstance(value, types.MethodType):
            yield from self.value(value.__func__, depth)
        elif isinstance(value, types.FunctionType):
            yield from self.function(value)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                yield from self.value(part, max(depth, 2))
        elif isinstance(value, (type, types.BuiltinFunctionType)):
            yield f"{value.__module__}.{value.__qualname__}"
        elif depth > 0 and isinstance(value, (list, tuple)):
            for item in value[:_MAX_ITEMS]:
                yield from self.value(item, depth - 1)
        elif depth > 0 and isinstance(value, (set, frozenset)):
            yield from sorted("".join(self.value(item, depth - 1)) for item in value)
        elif self._special is not None and (words := self._special(value)) is not None:
            yield from words
        elif depth > 0:
            yield type(value).__qualname__
            items = value if isinstance(value, dict) else _plain_attributes(value)
            # The order of a dict may come from a set, whose order varies from run to run.
            for name, item in sorted(items.items(), key=lambda pair: str(pair[0]))[:_MAX_ITEMS]:
                yield f"{name}="
                yield from self.value(item, depth - 1)

    def methods(self, kind: type) -> Iterator[str]:
        """The code of a class."""
        if id(kind) in self._seen:
            return
        self._seen.add(id(kind))
        for name, member in sorted(vars(kind).items()):
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(function, (types.FunctionType, functools.partial)):
                yield name
                yield from self.value(function, 1)

    def function(self, function: types.FunctionType) -> Iterator[str]:
        """The code of a function, its defaults and closure, and the user code that it calls."""
        if id(function) in self._seen or self._nested == MOST_NESTED:
            return
        self._seen.add(id(function))
        self._nested += 1
        yield from _code(function.__code__)
        bound = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            try:
                bound.append(cell.cell_contents)
            except ValueError:
                continue  # an empty cell
        for value in bound:
            yield from self.value(value, 1)
        yield from self._globals(function)
        self._nested -= 1

    def _globals(self, function: types.FunctionType) -> Iterator[str]:
        """The global variables that a function uses: user code by its code, others by value.

        Those of an installed package may hold anything, such as the list of all other packages: of
        them only plain constants count.
        """
        names, is_users = function.__code__.co_names, is_users_file(function.__code__.co_filename)
        for name in names:
            value = function.__globals__.get(name)
            if isinstance(value, types.FunctionType):
                same = value.__module__ == function.__module__
                if same or is_users_file(value.__code__.co_filename):
                    yield from self.value(value, 1)
            elif isinstance(value, types.ModuleType):
                if _is_users_module(value):
                    for inner in names:
                        yield from self.value(vars(value).get(inner), 2)
            elif not name.startswith("__") and (is_users or isinstance(value, _PRIMITIVE)):
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


def _is_users_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and is_users_file(file)


def is_users_file(path: str) -> bool:
    """Whether a file of Python code is the user's own, and not of an installed package."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if main is not None and os.path.abspath(main) == path:
        return True
    return not path.startswith("<") and not _is_library(path, tuple(sys.path))


@functools.lru_cache(maxsize=1 << 14)
def _is_library(path: str, search: tuple[str, ...]) -> bool:
    """Whether a file belongs to the standard library, to us or to an installed package."""
    seen, real = _folders(os.path.abspath(path)), _folders(os.path.realpath(path))
    names = {os.path.basename(folder) for folder in (*seen, *real)}
    if not names.isdisjoint(_INSTALL_FOLDERS):
        return True
    if not _STANDARD_LIBRARY.union(_framework_folders(), [_OURS]).isdisjoint(real):
        return True
    roots = {os.path.abspath(folder) for folder in search}
    return any(
        os.path.relpath(place, root).split(os.sep)[0].partition(".")[0] in _installed(root)
        for folders, place in ((seen, os.path.abspath(path)), (real, os.path.realpath(path)))
        for root in roots.intersection(folders)
    )


def _folders(path: str) -> list[str]:
    """The folders that a file lies in, innermost first."""
    return [str(folder) for folder in Path(path).parents]


def _framework_folders() -> set[str]:
    files = [getattr(sys.modules.get(name), "__file__", None) for name in _FRAMEWORKS]
    return {os.path.dirname(os.path.realpath(file)) for file in files if file}


@functools.lru_cache(maxsize=256)
def _installed(root: str) -> frozenset[str]:
    """The top-level names that distributions have installed in a folder of ``sys.path``.

    An editable install leaves nothing but its metadata, or its code is not in that folder.
    """
    found: set[str] = set()
    try:
        for record in Path(root).glob("*.dist-info/RECORD"):
            lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
            found.update(line.partition("/")[0].partition(",")[0] for line in lines)
        for listed in Path(root).glob("*.egg-info/installed-files.txt"):
            top = listed.with_name("top_level.txt")
            found.update(top.read_text(encoding="utf-8").split() if top.exists() else ())
    except OSError:
        return frozenset()
    return frozenset(name.partition(".")[0] for name in found if not name.endswith(".dist-info"))
