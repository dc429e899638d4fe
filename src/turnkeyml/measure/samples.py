"""What was timed in one process."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from turnkeyml.system import Activity, OwnLoad


@dataclass(frozen=True)
class Samples:
    """What was timed in one process, in nanoseconds; nothing is left out."""

    timed: np.ndarray
    """The samples in the order in which they were taken, each of ``block`` runs."""
    block: int
    slices: tuple[int, ...]
    """How many of them were taken in each round."""
    walls: tuple[int, ...]
    """Nanoseconds from the first to the last run of each round."""
    warmup: np.ndarray
    steady: bool
    stopped: str
    timer: float
    empty_call: float
    activities: tuple[Activity, ...] = ()
    """What else went on; from the warm-up on if the timed runs were short."""
    set_aside: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Samples of moments in which others had the machine; they do not count."""
    paused_seconds: float = 0.0
    """Spent on waiting for such moments to pass."""
    distances: tuple[float | None, ...] = ()
    """How far apart the processors were in each round; see ``Distance``."""
    memory_speeds: tuple[float, ...] = ()
    """Gigabytes that were copied in a second before the runs and after them."""

    own_load: OwnLoad | None = None
    """What the script's own leftovers did meanwhile, if it left any."""

    @property
    def latencies(self) -> np.ndarray:
        """Nanoseconds of one run, a sample each."""
        return self.timed / self.block

    @property
    def runs(self) -> int:
        return len(self.timed) * self.block

    @property
    def seconds(self) -> float:
        """Wall time of the timed runs."""
        return sum(self.walls) / 1e9

    def rounds(self) -> list[np.ndarray]:
        """The latencies of each round."""
        return np.split(self.latencies, np.cumsum(self.slices)[:-1])
