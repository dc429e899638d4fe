"""What a workaround is: a bug or a gap elsewhere, and what we do about it until it is mended."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from importlib import metadata

__all__ = ["Workaround"]


@dataclass(frozen=True)
class Workaround:
    """A bug or a gap in another package, and what we do about it."""

    id: str
    """Also the name of its reproduction in tests/reproductions."""
    package: str
    """The distribution that has the bug; ``Python`` for the interpreter."""
    seen: tuple[str, str]
    """The oldest and the newest version in which the reproduction was seen to reproduce it."""
    wrong: str
    """What is wrong upstream, in one sentence."""
    remedy: str
    """What we do about it, in one sentence."""
    where: str
    """The code that does it, as ``module:name``."""
    target: str = ""
    """The operator or optimizer that it concerns, by upstream's name."""
    upstream: str | None = None
    """The address of an issue or a change that describes this bug."""
    related: str | None = None
    """The address of one that describes something near, such as the same bug in a copy."""
    until: str | None = None
    """The first version in which upstream is mended; the workaround stays for older ones."""

    def holds_for(self, version: str) -> bool:
        """Whether a version is in the stated range, which has no end until upstream is mended."""
        return _numbers(self.seen[0]) <= _numbers(version) and not self.is_mended_in(version)

    def is_mended_in(self, version: str) -> bool:
        return self.until is not None and _numbers(self.until) <= _numbers(version)

    @property
    def installed(self) -> str:
        """The version of the package in this environment."""
        if self.package == "Python":
            return platform.python_version()
        return metadata.version(self.package)


def _numbers(version: str) -> tuple[int, ...]:
    """``2.13.0+cpu`` as numbers that can be compared, trailing zeros left out."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in found.group().split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
