"""What ``turnkey tune`` shows: what it is doing, then the table of what it tried."""

from __future__ import annotations

from types import TracebackType

from turnkeyml.display import console
from turnkeyml.display.status import memory_in_words
from turnkeyml.nouns import BRIEF, Trial, TrialStatus, TuneResult
from turnkeyml.report import significant, text_table

HEADER = ["", "configuration", "median (ms)", "95% interval", "items/s", "speed-up", "rel. error"]
HEADER += ["SQNR (dB)", "memory"]
FRONT, WINNER = "*", ">"
"""Before the configurations of the front, and before the winner."""
SHOWN = 8
"""Configurations without a place on the front that the table shows; the fastest of them."""


class TuneProgress:
    """Shows in a terminal what is done now, on one line; through a pipe only what was found.

    Nothing moves while configurations are timed: whatever draws a spinner takes processor time.
    """

    def __init__(self) -> None:
        self._in_terminal = console.in_terminal()

    def __enter__(self) -> TuneProgress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clear()

    def tell(self, sentence: str) -> None:
        """Show a sentence."""
        self._clear()
        if not sentence.startswith(BRIEF):
            console.print_lines(sentence)
        elif self._in_terminal:
            console.overwrite(sentence)

    def _clear(self) -> None:
        if self._in_terminal:
            console.overwrite("")


def result_lines(result: TuneResult) -> list[str]:
    """The table of what was tried, what may not win and why, and the verdict."""
    rows = _rows(result)
    lines = ["", f"{result.build_name} on {result.device}, best {result.objective}, "]
    lines[-1] += f"right by {result.right}:"
    lines += ["", *text_table(HEADER, [_cells(t, result) for t in rows]), ""]
    lines += [f"{WINNER} winner, {FRONT} on the Pareto front of time, throughput, error, memory"]
    hidden = sum(t.is_right for t in result.trials) - sum(t.is_right for t in rows)
    if hidden:
        lines.append(f"{hidden} slower configurations are not shown; --json lists all.")
    lines += [*_excluded(result), "", result.verdict, *result.hints]
    if result.program:
        lines.append(f"A program that runs it: {result.program}")
    elif result.winner is not None:
        lines.append(
            f"No program was written: {result.winner.runtime} declares none, or the model takes "
            "something else than arrays of numbers."
        )
    return lines


def _rows(result: TuneResult) -> list[Trial]:
    """The front, the default and the next best, the fastest first."""
    right = sorted(
        (t for t in result.trials if t.is_right or t.configuration == result.default),
        key=lambda t: t.relative_time or 0.0,
    )
    chosen = [t for t in right if t.on_front or _is_named(t, result)]
    others = [t for t in right if t not in chosen][: max(0, SHOWN - len(chosen))]
    return [t for t in right if t in chosen or t in others]


def _is_named(trial: Trial, result: TuneResult) -> bool:
    return trial.configuration in (result.winner, result.default)


def _cells(trial: Trial, result: TuneResult) -> list[str]:
    mark = WINNER if trial.configuration == result.winner else FRONT if trial.on_front else ""
    name = trial.configuration.label
    name += " (default)" if trial.configuration == result.default else ""
    errors = trial.errors
    interval = ""
    if trial.latency_low is not None and trial.latency_high is not None:
        interval = f"{significant(trial.latency_low)} to {significant(trial.latency_high)}"
    return [
        mark,
        name,
        significant(trial.latency) if trial.latency is not None else "",
        interval,
        significant(trial.throughput, 4) if trial.throughput else "",
        significant(1 / trial.relative_time, 3) if trial.relative_time else "",
        f"{errors.relative:.1e}" if errors else "",
        f"{errors.sqnr:.0f}" if errors else "",
        memory_in_words(trial.peak_memory_bytes) if trial.peak_memory_bytes else "",
    ]


def _excluded(result: TuneResult) -> list[str]:
    """What cannot win, by reason."""
    reasons: dict[tuple[str, str], list[Trial]] = {}
    shown = (TrialStatus.WRONG, TrialStatus.FAILED, TrialStatus.SKIPPED)
    for trial in result.trials:
        if trial.status in shown and trial.configuration != result.default:
            one = trial.configuration
            reasons.setdefault((f"{one.runtime} {one.precision}", trial.status), []).append(trial)
    lines = [""] if reasons else []
    for (name, status), trials in reasons.items():
        fastest = min(trials, key=lambda t: t.relative_time or 1e9)
        gain = ""
        if fastest.relative_time:
            gain = f" (it is {1 / fastest.relative_time:.3g} times as fast as the default)"
        lines.append(f"{name}: {status}: {fastest.reason}{gain}")
    return lines
