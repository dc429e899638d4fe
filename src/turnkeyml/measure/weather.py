"""Measuring in the calm: what the kernel's counters say about now, and waiting for it to pass.

Whether a moment counts is decided by what other programs and the hypervisor did, never by how long
the model took: choosing by the result would make any result possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from turnkeyml.system import Activity, Reading, allowed_processors, read_activity

WINDOW_SECONDS = 0.5
"""Over less than this the counters, which come in ticks, tell nothing."""
OTHER_CORES = 0.3
OTHER_SHARE = 0.02
"""Processors, and their share, that other programs may use in a calm moment, together."""
STOLEN_SHARE = 0.02
THROTTLED_SHARE = 0.02
TICKS = 0.02
"""Seconds that the counters may be wrong by."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 4.0


@dataclass
class Weather:
    """Says whether what was just measured was disturbed, and waits; for so many seconds in all."""

    most_seconds: float
    processors: int = field(default_factory=lambda: len(allowed_processors()))
    read: Callable[[], Reading] = read_activity
    sleep: Callable[[float], None] = time.sleep
    paused_seconds: float = 0.0
    _next_pause: float = FIRST_PAUSE

    @property
    def is_over(self) -> bool:
        """Whether the time for waiting is used up: from now on everything counts."""
        return self.paused_seconds >= self.most_seconds

    def is_stormy(self, found: Activity) -> bool:
        """Whether others had so much of the machine that the model's latency is theirs as well."""
        busy = self._is_busy(found)
        stolen = found.stolen or 0.0
        throttled = found.throttled or 0.0
        stormy = (
            busy
            or stolen > STOLEN_SHARE * self.processors * found.seconds + TICKS
            or throttled > THROTTLED_SHARE * found.seconds
        )
        if not stormy:
            self._next_pause = FIRST_PAUSE
        return stormy

    def wait(self) -> None:
        """Pause, and go on pausing while other programs run; each time for longer.

        What the hypervisor takes cannot be seen by whoever sleeps, so that one pause must do.
        """
        busy = True
        while busy and not self.is_over:
            seconds = min(self._next_pause, self.most_seconds - self.paused_seconds)
            before = self.read()
            self.sleep(seconds)
            self.paused_seconds += seconds
            self._next_pause = min(2 * self._next_pause, LONGEST_PAUSE)
            busy = self._is_busy(before.until(self.read()))

    def _is_busy(self, found: Activity) -> bool:
        allowed = OTHER_CORES + OTHER_SHARE * self.processors
        return (found.other or 0.0) > allowed * found.seconds + TICKS
