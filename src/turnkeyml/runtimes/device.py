"""A device: its name, its parts and their configurations."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

SEPARATOR = "::"
"""Between the family, the part and the configuration in the name of a device."""


@dataclass(frozen=True)
class Device:
    """A kind of hardware. The ``__init__`` of its folder defines one as ``DEVICE``."""

    name: str
    title: str
    default_runtime: str
    describe: Callable[[], str]
    """Returns the name of the hardware in this machine, such as the CPU model."""
    machines: tuple[str, ...] = ()
    """For a CPU: what ``platform.machine()`` returns on the machines that have it."""
    runtimes_of: str = ""
    """Another device whose runtimes it has too: the same classes, which a plugin can add to."""
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    """The parts of the family, each with its configurations: ``{"part": ("configuration",)}``."""
    default_name: str = ""
    """What the name of the family alone stands for; empty for the first part in its first
    configuration."""

    @property
    def is_host(self) -> bool:
        """Whether this program itself runs on it; the host is the default device."""
        return platform.machine() in self.machines

    @property
    def family(self) -> str:
        """The name without part and configuration."""
        return self.name.partition(SEPARATOR)[0]

    def names(self) -> Iterator[str]:
        """Every name that ``--device`` accepts: the family, its parts and their configurations."""
        yield self.family
        for part, configurations in self.parts.items():
            yield f"{self.family}{SEPARATOR}{part}"
            for configuration in configurations:
                yield SEPARATOR.join((self.family, part, configuration))

    def at(self, name: str) -> Device | None:
        """The device of a name, with its part and configuration filled in; None if unknown."""
        known = list(self.names())
        if name not in known:
            return None
        if name == self.family and self.default_name:
            return replace(self, name=self.default_name)
        # A name is followed by the names within it, so the first of them is the default.
        within = [n for n in known if n == name or n.startswith(name + SEPARATOR)]
        deepest = within[0]
        for other in within[1:]:
            if not other.startswith(deepest + SEPARATOR):
                break
            deepest = other
        return replace(self, name=deepest)
