"""The machine that a session runs on, as it describes itself."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field

from turnkeyml import system
from turnkeyml.measure.interference import may_move


@dataclass(frozen=True)
class Site:
    """What belongs to the conditions of a measurement; read by whoever makes one, where it is."""

    device: str = ""
    """The name of the hardware that runs the model; empty if nobody asked."""
    node: str = field(default_factory=platform.node)
    """Its name in the network."""
    platform: str = field(default_factory=platform.platform)
    cpu: str = field(default_factory=system.cpu_name)
    usable_cores: int = field(default_factory=system.usable_cores)
    processors: tuple[int, ...] = field(
        default_factory=lambda: tuple(sorted(system.allowed_processors()))
    )
    cpu_quota: float | None = field(default_factory=system.cpu_quota)
    governor: str | None = field(default_factory=system.governor)
    frequency_mhz: float | None = field(default_factory=system.frequency_mhz)
    may_move: bool = field(default_factory=may_move)
    """Whether a hypervisor may run the processors on different core complexes."""
