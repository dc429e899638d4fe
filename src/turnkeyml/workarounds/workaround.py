"""The record of a workaround: an upstream bug and what we do about it until it is fixed."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Workaround:
    """A bug or missing feature of another package, and what we do about it."""

    id: str
    """Also the name of its reproduction in tests/reproductions."""
    package: str
    """The distribution that has the bug; ``Python`` for the interpreter."""
    seen: tuple[str, str]
    """The oldest and the newest version in which the reproduction showed the bug."""
    wrong: str
    """What is wrong upstream, in one sentence."""
    remedy: str
    """What we do about it, in one sentence."""
    where: str
    """The code that works around it, as ``module:name``."""
    target: str = ""
    """The affected operator or optimizer, by its upstream name."""
    upstream: str | None = None
    """The URL of an issue or pull request about this bug."""
    related: str | None = None
    """The URL of one about a similar bug, such as the same bug in a fork."""
    until: str | None = None
    """The first version with the fix; the workaround stays for older versions."""

    def affects(self, version: str) -> bool:
        """Whether a version is in the affected range, which is open until there is a fix."""
        return _numbers(self.seen[0]) <= _numbers(version) and not self.is_fixed_in(version)

    def is_fixed_in(self, version: str) -> bool:
        """Whether a version has the upstream fix."""
        return self.until is not None and _numbers(self.until) <= _numbers(version)

    @property
    def installed(self) -> str:
        """The version of the package in this environment."""
        if self.package == "Python":
            return platform.python_version()
        from importlib import metadata  # workers, which never ask, start sooner without it

        return metadata.version(self.package)


def _numbers(version: str) -> tuple[int, ...]:
    """A version such as ``2.13.0+cpu`` as comparable integers, without trailing zeros."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in found.group().split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
