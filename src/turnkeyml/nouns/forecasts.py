"""What a run would do: the answer to ``--dry-run``."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnkeyml.nouns.tasks import Input


@dataclass(frozen=True)
class CachedBuild:
    """A build that an earlier run of the input left in the cache."""

    name: str
    bytes: int
    reused: bool
    """Whether it is used again, unless the model has changed."""
    obstacle: str = ""
    """Why it is not; empty if it is."""


@dataclass(frozen=True)
class LastTime:
    """An earlier run of the same input at the same point of a sweep."""

    finished_at: str
    ok: bool
    same_options: bool
    """Whether the file and the options were the same; otherwise it is only a hint."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The seconds that the script, the builds and the measurements took."""


@dataclass(frozen=True)
class TaskForecast:
    """What would be done with one input at one point of a sweep."""

    input: Input
    parameters: dict[str, str] = field(default_factory=dict)
    skipped: bool = False
    """Whether an earlier run has finished it, and this one is to resume it."""
    sequence: str | None = None
    """The sequence of its builds; None if nothing is built."""
    contestants: tuple[str, ...] = ()
    """The runtimes with their precisions and places; empty if nothing is measured."""
    builds: tuple[CachedBuild, ...] = ()
    last: LastTime | None = None
    """None if the cache has no record of the input."""


@dataclass(frozen=True)
class Forecast:
    """What a run would do, how long it took last time, and how much disk it has and may use."""

    tasks: tuple[TaskForecast, ...]
    cache_dir: str
    place: str
    """Where the inputs would run, in words."""
    seconds: float
    """What the inputs took last time, as far as that is known."""
    unknown: int
    """Inputs that would run and of which the cache has no record."""
    cached_bytes: int
    """The size of their builds that are in the cache."""
    free_bytes: int | None
    """On the disk of the cache; None if that cannot be found out."""
