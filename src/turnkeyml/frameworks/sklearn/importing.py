"""Being called when a module has been imported, without importing it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Act = Callable[[ModuleType], None]


@contextlib.contextmanager
def after_import(acts: Mapping[str, Act]) -> Iterator[None]:
    """Within the block, call a function with each of these modules once it has been imported.

    A module that was imported before counts as well.
    """
    waiting = dict(acts)
    for name in acts:
        module = sys.modules.get(name)
        if module is not None:
            waiting.pop(name)(module)
    finder = _Finder(waiting)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # a script may replace the list
            sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Finds the modules where Python finds them, and adds to their loading."""

    def __init__(self, acts: dict[str, Act]) -> None:
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
                    spec.loader = _Loader(spec.loader, self._acts.pop(fullname))
                return spec
        return None


class _Loader(Loader):
    """Loads a module as its own loader does, and then calls a function with it."""

    def __init__(self, loader: Any, act: Act) -> None:
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
