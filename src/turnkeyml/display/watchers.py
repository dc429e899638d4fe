"""Watchers that show progress: plain lines for logs and pipes, a redrawn view for terminals."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from turnkeyml import environment
from turnkeyml.display import console
from turnkeyml.display.listings import HEADER, listing
from turnkeyml.escaping import LONGEST_CELL, one_line
from turnkeyml.nouns import (
    ArtifactChanged,
    BuildReused,
    Event,
    Input,
    InputResult,
    InvocationFinished,
    InvocationStarted,
    MeasureEstimated,
    MeasureProgress,
    MeasureStarted,
    ScriptFinished,
    ScriptStarted,
    StageFinished,
    StageStarted,
    TurnAwaited,
    WaitEnded,
    Waiting,
)

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from turnkeyml.display.overview import OverviewWatcher

SILENCE_SECONDS = 15.0
"""How long nothing is printed before a line says what is still being done."""


def make_watcher(
    show_status: bool, as_race: bool = False, overview: int = 0, verbose: bool = False
) -> PlainWatcher | OverviewWatcher:
    """The watcher for the kind of standard output.

    ``overview`` is the number of inputs if they are too many for a listing of each, otherwise 0.
    ``verbose`` shows every flag of a measurement.
    """
    if overview:
        from turnkeyml.display.overview import make_overview_watcher

        return make_overview_watcher(overview)
    plain = environment.debug() or not environment.build_monitor() or not console.in_terminal()
    kind = PlainWatcher if plain else ViewWatcher
    monitor, traceback = environment.build_monitor(), environment.traceback()
    return kind(show_status, monitor, traceback, as_race, verbose)


def make_monitor(monitor: bool | None = None) -> PlainWatcher:
    """A watcher for builds in the calling process, whose output goes to logs meanwhile."""
    shown = environment.build_monitor() if monitor is None else monitor
    return PlainWatcher(True, shown, traceback=False)


class PlainWatcher:
    """Prints listings to standard output, progress and tracebacks to standard error."""

    def __init__(
        self,
        show_status: bool,
        monitor: bool,
        traceback: bool,
        as_race: bool = False,
        verbose: bool = False,
    ) -> None:
        self._show_status = show_status
        self._as_race = as_race
        self._verbose = verbose
        self._monitor = monitor
        self._traceback = traceback
        self._title = ""
        self._header_shown = False
        self._doing = ""
        """What takes so long, if nothing is printed for a while; empty if nothing is done."""
        self._did_since = self._told_at = 0.0

    def input_started(self, item: Input, position: int, total: int) -> None:
        self._title = f"{item.name} ({position} of {total})"
        self._does("", item)
        if item.malformed_labels:
            labels = ", ".join(map(repr, item.malformed_labels))
            self._tell(
                f"Warning: {item.path}: ignored {labels} in the first line; labels are key=value."
            )

    def event(self, item: Input | None, event: Event) -> None:
        """Print a line about an event."""
        self._does(_activity(event), item)
        match event:
            case ScriptFinished(outcome) if outcome.traceback and self._traceback:
                self._tell(*outcome.traceback.rstrip().split("\n"))
            case InvocationFinished(result) if result.traceback and self._traceback:
                self._tell(*result.traceback.rstrip().split("\n"))
            case ArtifactChanged(invocation, warning):
                self._warn(f"{item.name if item else invocation}: {warning}")
            case _ if self._monitor:
                line = _progress_line(event)
                if line:
                    self._tell(f"{item.name}: {line}" if item else line)

    def tick(self) -> None:
        """Print what is being done if it takes long, as a log or a pipe shows no clock."""
        now = time.monotonic()
        if self._monitor and self._doing and now - self._told_at >= SILENCE_SECONDS:
            self._tell(f"{self._doing} for {now - self._did_since:.0f} s so far")

    def input_finished(self, result: InputResult) -> None:
        self._does("", None)
        if not self._header_shown:
            console.print_lines("", HEADER, "")
            self._header_shown = True
        text = listing(result, self._show_status, self._as_race, self._verbose)
        console.print_lines(*text.split("\n"))

    def input_resumed(self, result: InputResult) -> None:
        """Print the listing of an input that an earlier run evaluated."""
        self.input_finished(result)

    def note(self, line: str) -> None:
        """Print a line about the whole run."""
        self._tell(line)

    def close(self) -> None:
        """Restore the terminal."""

    def say(self, line: str) -> None:
        """Print a line if progress is shown."""
        if self._monitor:
            console.print_lines(line)

    def _warn(self, warning: str) -> None:
        self._tell(f"Warning: {warning}")

    def _does(self, activity: str | None, item: Input | None) -> None:
        """Take down what is being done from now on; None changes nothing."""
        if activity is not None:
            self._doing = f"{item.name}: {activity}" if item and activity else activity
            self._did_since = self._told_at = time.monotonic()

    def _tell(self, *lines: str) -> None:
        self._told_at = time.monotonic()
        console.print_errors(*lines)


def _activity(event: Event) -> str | None:
    """What is done from an event on; empty if that is nothing, None if the event does not say."""
    match event:
        case ScriptStarted():
            return "running the script"
        case StageStarted(invocation, stage):
            return f"{invocation}: {stage}"
        case MeasureStarted(invocation, runtime):
            return f"{invocation}: measuring with {runtime}"
        case MeasureProgress(invocation, _, doing):
            return f"{invocation}: {doing}"
        case InvocationStarted(invocation):
            return f"{invocation}: running the original"
        case WaitEnded(invocation) if invocation:
            return f"{invocation}: running the original"
        case StageFinished(invocation) | BuildReused(invocation):
            return f"{invocation}: checking the build"
        case Waiting(_, what) if what:
            return f"waiting for {what}"
        case TurnAwaited():
            return "waiting for its turn to measure"
        case ScriptFinished() | InvocationFinished():
            return ""
    return None


def _progress_line(event: Event) -> str | None:
    match event:
        case InvocationStarted(invocation, what, position, total) if total > 1:
            return f"{invocation}: {what} ({position} of {total})"
        case Waiting(invocation, what) if what:
            return f"{invocation}: waiting for {what}" if invocation else f"waiting for {what}"
        case BuildReused(invocation):
            return f"{invocation}: the build is in the cache"
        case StageFinished(invocation, stage, seconds, succeeded):
            return (
                f"{invocation}: {stage} {'took' if succeeded else 'failed after'} {seconds:.1f} s"
            )
        case MeasureStarted(invocation, runtime):
            return f"{invocation}: measuring with {runtime}"
        case MeasureProgress(invocation, seconds, doing):
            return f"{invocation}: measuring for {seconds:.0f} s: {doing}"
    return None


class ViewWatcher(PlainWatcher):
    """Shows the current build and measurement in a view that disappears when they are done.

    There is no view while the script runs, as the script may use the terminal.
    """

    def __init__(
        self,
        show_status: bool,
        monitor: bool,
        traceback: bool,
        as_race: bool = False,
        verbose: bool = False,
    ) -> None:
        super().__init__(show_status, monitor, traceback, as_race, verbose)
        self._view: Live | None = None
        self._rows: list[tuple[str, str]] = []
        self._current: str | None = None
        self._invocation = ""
        """The invocation that is worked on, if there are several."""
        self._began = self._expected = 0.0

    def input_started(self, item: Input, position: int, total: int) -> None:
        super().input_started(item, position, total)
        console.print_lines(f"Running {self._title}")
        self._rows, self._current, self._expected = [], None, 0.0
        self._invocation = ""

    def event(self, item: Input | None, event: Event) -> None:
        match event:
            case ScriptFinished() | ArtifactChanged():
                super().event(item, event)
            case InvocationFinished(result):
                if result.traceback and self._traceback and self._view:
                    lines = result.traceback.rstrip().split("\n")
                    self._view.console.print(*map(one_line, lines), sep="\n", markup=False)
                self._rows, self._current = [], None
            case InvocationStarted(_, what, position, total):
                self._invocation = f"{what} ({position} of {total})" if total > 1 else ""
                self._begin("Running the original")
            case StageStarted(_, _, message, position, total):
                self._begin(f"{message} ({position} of {total})")
            case StageFinished(_, stage, seconds, succeeded):
                self._rows.append(("✓" if succeeded else "✗", f"{stage}  {seconds:.1f} s"))
                self._current = None
            case BuildReused():
                self._rows.append(("✓", "the build is in the cache"))
            case Waiting(_, what):
                self._begin(f"Waiting for {what or 'another turnkey process'}")
            case WaitEnded(invocation) if invocation:
                self._begin("Running the original")
            case MeasureStarted(_, runtime):
                self._begin(f"Measuring with {runtime}")
            case MeasureEstimated(_, seconds):
                self._began, self._expected = time.monotonic(), seconds
        self.tick()

    def tick(self) -> None:
        if self._view:
            self._view.update(self._drawing(), refresh=True)

    def input_finished(self, result: InputResult) -> None:
        self.close()
        super().input_finished(result)

    def close(self) -> None:
        if self._view:
            self._view.stop()
            self._view = None

    def _warn(self, warning: str) -> None:
        if self._view:  # above the view, which is drawn again
            self._view.console.print(one_line(f"Warning: {warning}"), markup=False)
        else:
            super()._warn(warning)

    def _begin(self, activity: str) -> None:
        self._current, self._began, self._expected = activity, time.monotonic(), 0.0
        if self._view is None:
            from rich.live import Live

            console.print_lines("")  # the script's last line may have no line break
            self._view = Live(self._drawing(), auto_refresh=False, transient=True)
            self._view.start()

    def _drawing(self) -> Table:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        table.add_row("", Text(one_line(self._title, LONGEST_CELL), style="bold"))
        if self._invocation:
            table.add_row("", Text(one_line(self._invocation, LONGEST_CELL)))
        for mark, text in self._rows:
            table.add_row(Text(mark, style="green" if mark == "✓" else "red"), Text(one_line(text)))
        if self._current:
            elapsed = time.monotonic() - self._began
            table.add_row(
                Text("…", style="cyan"), Text(f"{one_line(self._current)}  {elapsed:.0f} s")
            )
            if self._expected > 2:
                left = self._expected - elapsed
                words = (
                    f"about {left:.0f} s left"
                    if left > 0.5
                    else "until the median is known precisely enough"
                )
                table.add_row("", ProgressBar(total=self._expected, completed=elapsed, width=40))
                table.add_row("", Text(words, style="dim"))
        return table
