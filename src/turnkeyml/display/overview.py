"""The overview of many inputs: one line per input, a bar in a terminal, a summary at the end."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from turnkeyml import environment
from turnkeyml.display import console
from turnkeyml.escaping import LONGEST_CELL, one_line
from turnkeyml.nouns import (
    WAITING,
    ArtifactChanged,
    Cause,
    Evaluation,
    Event,
    Grade,
    Input,
    InputResult,
    InvocationResult,
    InvocationStarted,
    ScriptStarted,
    StageStarted,
    TurnAwaited,
    TurnTaken,
    Verdict,
    Verification,
    Waiting,
    in_words,
    label_of,
)
from turnkeyml.report import kind_of, significant, text_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live


LATEST = 6
"""Lines that are shown above the bar."""
SLOWEST = 5
GROUPS = 12
EXAMPLES = 3
PHASES = ("script", "build", "measure", WAITING)


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


@dataclass
class Overview:
    """A summary of all inputs so far. It does not keep the results, as there may be many."""

    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    _reasons: dict[str, list[str]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _sentences: dict[str, str] = field(default_factory=dict)
    _slowest: dict[str, list[tuple[float, str]]] = field(default_factory=dict)

    def add(self, result: InputResult) -> None:
        """Add the result of one input."""
        self.outcomes[_outcome(result)] += 1
        self.verdicts.update(_words_of(v) for row in result.invocations for v in row.verifications)
        for reason in _reasons(result):
            kind = kind_of(reason)
            self._counts[kind] += 1
            self._sentences.setdefault(kind, reason)
            names = self._reasons.setdefault(kind, [])
            if len(names) < EXAMPLES:
                names.append(result.input.name)
        for phase in PHASES:
            row = self._slowest.setdefault(phase, [])
            row.append((result.seconds.get(phase, 0.0), result.input.name))
            row.sort(reverse=True)
            del row[SLOWEST:]

    def lines(self) -> list[str]:
        """The tables of the summary."""
        found = text_table(["outcome", "inputs"], [[k, str(n)] for k, n in self.outcomes.items()])
        return ["Outcomes:", "", *found, "", *self._verdicts(), *self._failures(), *self._slow()]

    def _verdicts(self) -> list[str]:
        if not self.verdicts:
            return []
        known = dict.fromkeys(in_words(v, cause) for v in Verdict for cause in (None, *Cause))
        rows = [[words, str(self.verdicts[words])] for words in known if self.verdicts[words]]
        return ["Verdicts:", "", *text_table(["verdict", "results"], rows), ""]

    def _failures(self) -> list[str]:
        if not self._counts:
            return []
        lines = ["Failures by cause:", ""]
        for kind, count in self._counts.most_common(GROUPS):
            names = ", ".join(self._reasons[kind]) + (", …" if count > EXAMPLES else "")
            lines.append(f"{count:>6}  {self._sentences[kind]}")
            lines.append(f"        {names}")
        more = len(self._counts) - GROUPS
        return [*lines, *([f"        and {more} other causes"] if more > 0 else []), ""]

    def _slow(self) -> list[str]:
        rows = []
        for rank in range(SLOWEST):
            cells = [_slow_cell(self._slowest.get(phase, []), rank) for phase in PHASES]
            if any(cells):
                rows.append(cells)
        if not rows:
            return []
        shown = [i for i in range(len(PHASES)) if any(row[i] for row in rows)]
        table = text_table([PHASES[i] for i in shown], [[row[i] for i in shown] for row in rows])
        return ["Slowest inputs by phase:", "", *table, ""]


def line_of(result: InputResult) -> str:
    """One line about an input: the outcome, and the latency or the reason of the failure."""
    point = " ".join(f"{name}={value}" for name, value in result.parameters.items())
    name = one_line(f"{result.input.name} {point}".rstrip(), LONGEST_CELL)
    return f"{_outcome(result):<9}{name}  {_figure(result)}".rstrip()


def _outcome(result: InputResult) -> str:
    if result.failed:
        return "failed"
    if result.is_mismatch:
        return Verdict.MISMATCH.value
    if any(row.evaluations for row in result.invocations):
        return "measured"
    if any(row.build_status for row in result.invocations):
        return "built"
    return "listed"


def _words_of(verification: Verification | None) -> str:
    return verification.in_words if verification else str(Verdict.NOT_CHECKED)


def _figure(result: InputResult) -> str:
    if result.failed:
        log = f" (its output is in {result.log})" if result.log else ""
        return next(iter(_reasons(result)), "") + log
    models = len(result.invocations)
    words = [f"{models} model{'s' * (models != 1)}"] if models != 1 else []
    for row in result.invocations:
        for evaluation in row.evaluations:
            if evaluation.performance is not None:
                median = significant(evaluation.performance.median_latency)
                words.append(f"{median} ms {evaluation.label}{_doubt(evaluation)}")
    return ", ".join(words[:4] + (["…"] if len(words) > 4 else []))


def _doubt(evaluation: Evaluation) -> str:
    """A mismatch, and the grade if it is C or D; a line has no room for the others."""
    words = [str(Verdict.MISMATCH)] if evaluation.verdict is Verdict.MISMATCH else []
    words += [f"grade {evaluation.grade}"] if evaluation.grade in (Grade.C, Grade.D) else []
    return f" ({', '.join(words)})" if words else ""


def _reasons(result: InputResult) -> list[str]:
    """Why an input failed: each reason once, the most specific first."""
    found = [reason for row in result.invocations for reason in _row_reasons(row)]
    if result.script.complaint:
        found.insert(0, result.script.complaint)
    if result.failure and not found:
        found.append(result.failure)
    return list(dict.fromkeys(found))


def _row_reasons(row: InvocationResult) -> list[str]:
    if row.failure:
        return [row.failure]
    return [
        f"{label_of(e.runtime, e.python, '', e.host)}: {e.reason}"
        for e in row.evaluations
        if not e.ok
    ]


def _slow_cell(row: list[tuple[float, str]], rank: int) -> str:
    if rank >= len(row) or row[rank][0] < 0.05:
        return ""
    seconds, name = row[rank]
    return f"{name} {seconds:.1f} s"
