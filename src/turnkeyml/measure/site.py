"""The machine that a session runs on, as it describes itself."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True)
class Costs:
    """What a session cost besides the time of its runs, and how it was set up."""

    load_seconds: float
    memory_before_bytes: int | None = None
    load_peak_memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    runtime_version: str = ""
    load_average: float | None = None
    """Before anything ran."""
    libraries: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    """What the session wants to be recorded besides."""
    python_version: str = field(default_factory=platform.python_version)
    python: str = field(default_factory=lambda: sys.executable)
    """The path of the interpreter."""
    threads: int = 0
    """That the session was asked to use; 0 if nobody knows."""
    site: Site = field(default_factory=Site)
    """The machine, read where the session runs."""
