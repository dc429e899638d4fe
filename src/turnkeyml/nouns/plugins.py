"""The plugins of this environment, and what each of them adds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PluginInfo:
    """An installed plugin, and what turnkey has accepted of it."""

    name: str
    version: str
    source: str
    """How it was found: its entry point, or the package by its name."""
    location: str
    """The folder that it was imported from; empty if that failed."""
    devices: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    """Each with its device: ``name on device``."""
    sequences: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """A sentence for each."""
