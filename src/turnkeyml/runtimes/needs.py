"""What a runtime declares of itself: its requirements and its arguments."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class Need:
    """A requirement of a runtime: a Python module, or one of several programs."""

    module: str = ""
    programs: tuple[str, ...] = ()
    install: str = ""
    """How to install it, as messages show it: ``pip install onnxruntime``."""
    alternatives: tuple[str, ...] = ()
    """Other modules, each of which will do instead of the first."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of which one is needed; none if it is a program."""
        return (self.module, *self.alternatives) if self.module else ()

    @property
    def is_met(self) -> bool:
        if self.module and not any(map(find_spec, self.modules)):
            return False
        return not self.programs or any(map(shutil.which, self.programs))

    def __str__(self) -> str:
        what = f"the Python module {self.module}" if self.module else " or ".join(self.programs)
        return f"{what} ({self.install})" if self.install else what


@dataclass(frozen=True)
class Argument:
    """An argument of a runtime, as ``--rt-args name=value`` gives it."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    """Converts the text from the command line; raises ValueError if it is invalid."""
    default: Any = None
    candidates: tuple[Any, ...] = ()
    """The values that may be fastest, for ``turnkey tune``; none if it has nothing to try."""

    def value_of(self, given: Any) -> Any:
        """The given value, converted to the type of the argument; True for a name without one."""
        if given is True and not isinstance(self.default, bool | None):
            raise ValueError(f"{self.name} needs a value")
        return self.type(given) if isinstance(given, str) else given


def boolean(text: str) -> bool:
    """The type of an argument that is true or false."""
    words = {"true": True, "1": True, "yes": True, "on": True}
    words.update({"false": False, "0": False, "no": False, "off": False})
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]
