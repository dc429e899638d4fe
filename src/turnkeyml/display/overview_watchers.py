"""Watchers for very many inputs: one line per input, and a progress bar in a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from turnkeyml import environment
from turnkeyml.display import console
from turnkeyml.display.overview import Overview, line_of
from turnkeyml.escaping import one_line
from turnkeyml.nouns import (
    ArtifactChanged,
    Event,
    Input,
    InputResult,
    InvocationStarted,
    ScriptStarted,
    StageStarted,
    TurnAwaited,
    TurnTaken,
    Waiting,
)

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

LATEST = 6
"""Lines that are shown above the bar."""


def make_overview_watcher(total: int) -> OverviewWatcher:
    """The watcher for the kind of standard output."""
    plain = environment.debug() or not environment.build_monitor() or not console.in_terminal()
    return OverviewWatcher(total) if plain else BarWatcher(total)


class OverviewWatcher:
    """Prints one line per input, and a summary at the end."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._resumed = 0
        self._overview = Overview()
        self._closed = False

    def input_started(self, item: Input, position: int, total: int) -> None:
        """Print nothing."""

    def event(self, item: Input | None, event: Event) -> None:
        """Print warnings and long waits only: with many inputs, each gets one line at its end."""
        if isinstance(event, ArtifactChanged):
            self.note(f"Warning: {item.name if item else event.invocation}: {event.warning}")
        elif isinstance(event, Waiting) and event.what:
            self.note(f"{item.name if item else event.invocation}: waiting for {event.what}.")

    def tick(self) -> None:
        """Do nothing: printed lines do not change."""

    def input_finished(self, result: InputResult) -> None:
        self._done += 1
        self._overview.add(result)
        width = len(str(self._total))
        line = f"[{self._done:>{width}}/{self._total}] {line_of(result)}"
        if result.ok:
            self._say(line)
        else:
            self._say_failure(line)

    def input_resumed(self, result: InputResult) -> None:
        """Count a result of an earlier run, without a line."""
        self._done += 1
        self._resumed += 1
        self._overview.add(result)

    def note(self, line: str) -> None:
        """Print a line about the whole run."""
        console.print_errors(line)

    def close(self) -> None:
        """Print the summary, also if the run was interrupted."""
        if self._closed or not self._done:
            return
        self._closed = True
        earlier = f", {self._resumed} of them in an earlier run" if self._resumed else ""
        left = self._total - self._done
        missing = f"; {left} were not reached" if left else ""
        done = f"{self._done} of {self._total} inputs are done{earlier}{missing}."
        console.print_lines("", done, "", *self._overview.lines())

    def _say(self, line: str) -> None:
        console.print_lines(line)

    def _say_failure(self, line: str) -> None:
        self._say(line)


class BarWatcher(OverviewWatcher):
    """Shows a progress bar, the counts, the rate, the time left, what is running, and the latest
    lines. Failures stay on the screen as they come.
    """

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self._began = time.monotonic()
        self._running: dict[str, str] = {}
        self._latest: list[str] = []
        self._view: Live | None = None

    def input_started(self, item: Input, position: int, total: int) -> None:
        from rich.live import Live

        self._running[item.name] = "starting"
        if self._view is None:
            self._view = Live(self._drawing(), auto_refresh=False, transient=True)
            self._view.start()
        self.tick()

    def event(self, item: Input | None, event: Event) -> None:
        super().event(item, event)
        activity = _activity(event)
        if item is not None and activity:
            self._running[item.name] = activity

    def tick(self) -> None:
        if self._view:
            self._view.update(self._drawing(), refresh=True)

    def input_finished(self, result: InputResult) -> None:
        self._running.pop(result.input.name, None)
        super().input_finished(result)
        self.tick()

    def close(self) -> None:
        if self._view:
            self._view.stop()
            self._view = None
        super().close()

    def _say(self, line: str) -> None:
        self._latest = [*self._latest, line][-LATEST:]

    def _say_failure(self, line: str) -> None:
        """Print a line that stays above the view."""
        if self._view is None:
            console.print_lines(line)
            return
        from rich.text import Text

        self._view.console.print(
            Text(one_line(line), style="red"), overflow="ellipsis", no_wrap=True
        )

    def _drawing(self) -> Group:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        bar = Table.grid()  # a bar alone does not end its line
        bar.add_row(ProgressBar(total=self._total, completed=self._done, width=60))
        outcomes = self._overview.outcomes
        failed = f"{outcomes['failed']} failed"
        if outcomes["mismatch"]:
            failed += f", {outcomes['mismatch']} with a mismatch"
        running = ", ".join(f"{name} ({activity})" for name, activity in self._running.items())
        return Group(
            *(Text(one_line(line), overflow="ellipsis", no_wrap=True) for line in self._latest),
            bar,
            Text(f"{self._done} of {self._total} done, {failed}, {self._pace()}"),
            Text(one_line(running), style="dim", overflow="ellipsis", no_wrap=True),
        )

    def _pace(self) -> str:
        new = self._done - self._resumed
        elapsed = time.monotonic() - self._began
        return pace_in_words(new, elapsed, self._total - self._done)


def pace_in_words(done: int, seconds: float, left: int) -> str:
    """How many inputs a run finishes per minute, and how long the rest will take."""
    if not done or seconds <= 0:
        return "time left unknown"
    rate = 60 * done / seconds
    digits = 0 if rate >= 9.95 else 1
    return f"{rate:.{digits}f} per minute, about {_span(left * seconds / done)} left"


def _span(seconds: float) -> str:
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _activity(event: Event) -> str | None:
    match event:
        case ScriptStarted():
            return "running the script"
        case InvocationStarted(_, what, position, total) if total > 1:
            return f"{what}, {position} of {total}"
        case StageStarted(_, stage):
            return stage
        case TurnAwaited():
            return "waiting to measure"
        case Waiting():
            return "waiting"
        case TurnTaken():
            return "measuring"
    return None
