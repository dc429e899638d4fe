"""Acting when a script imports a package, before any of its models can be called.

We never import these packages: Keras reads its backend from the environment of the script.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], None]
Explain = Callable[[ImportError], None]


@contextlib.contextmanager
def when_imported(name: str, action: Action, explain: Explain) -> Iterator[None]:
    """Call ``action`` with a package once it is imported: now, or within the block.

    ``explain`` gets the error if the package is there and its import fails.
    """
    if name in sys.modules:
        action(sys.modules[name])
        yield
        return
    finder = _PackageFinder(name, action, explain)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the script may have removed it
            sys.meta_path.remove(finder)


class _PackageFinder(MetaPathFinder):
    """Has the other finders find the package, and puts our loader around theirs."""

    def __init__(self, name: str, action: Action, explain: Explain) -> None:
        self._name = name
        self._action = action
        self._explain = explain
        self._busy = False

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name or self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._busy = False
        if spec is not None and spec.loader is not None:
            spec.loader = _PackageLoader(spec.loader, self._action, self._explain)
        return spec


class _PackageLoader(Loader):
    """Loads a package as its own loader does, leaves that one in place, and calls the action."""

    def __init__(self, loader: Any, action: Action, explain: Explain) -> None:
        self._loader = loader
        self._action = action
        self._explain = explain

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        try:
            self._loader.exec_module(module)
        except ImportError as error:
            self._explain(error)
            raise
        self._action(module)


@contextlib.contextmanager
def after_import(acts: Mapping[str, Action]) -> Iterator[None]:
    """Within the block, call a function with each of these modules once it has been imported.

    A module that was imported before counts as well.
    """
    waiting = dict(acts)
    for name in acts:
        module = sys.modules.get(name)
        if module is not None:
            waiting.pop(name)(module)
    finder = _ModuleFinder(waiting)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # a script may replace the list
            sys.meta_path.remove(finder)


class _ModuleFinder(MetaPathFinder):
    """Finds the modules where Python finds them, and adds to their loading."""

    def __init__(self, acts: dict[str, Action]) -> None:
        self._acts = acts

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._acts:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _ModuleLoader(spec.loader, self._acts.pop(fullname))
                return spec
        return None


class _ModuleLoader(Loader):
    """Loads a module as its own loader does, and then calls a function with it."""

    def __init__(self, loader: Any, act: Action) -> None:
        self._loader, self._act = loader, act

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._act(module)
