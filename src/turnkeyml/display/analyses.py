"""The text of ``turnkey explain`` and of ``turnkey tune``.

An explanation says where the time goes, what the machine allows, and what was found. Tuning shows
what it is doing, then the table of what it tried.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from types import TracebackType

from turnkeyml.display import console
from turnkeyml.display.builds import memory_in_words
from turnkeyml.escaping import one_line
from turnkeyml.explanation import counted, gigaflops, milliseconds, size
from turnkeyml.nouns import BRIEF, Explanation, Operator, Part, Trial, TrialStatus, TuneResult
from turnkeyml.report import significant, text_table

WIDTH = 100
"""Columns where there is no terminal."""
LEAST_WIDTH = 60
OPERATORS = 10
PARTS = 8
BAR = 20
LEAST_SHARE = 0.005
LIMITS = {
    "compute": "compute: close to the peak of the arithmetic",
    "memory": "memory: close to the bandwidth",
    "kernels": "kernels that are far from both",
    "overhead": "short operators: overhead of their calls",
    "transfers": "transfers between host and GPU",
    "unknown": "operators of unknown cost",
}
LIMITS_ON_GPU = {**LIMITS, "overhead": "short kernels: too little work to fill the GPU"}
WITHOUT_ROOFLINE = {**LIMITS, "unknown": "operators, without a roofline"}
LIMITS_BY_HOST = {**LIMITS, "unknown": "the host starts operators; the GPU is not recorded"}
HEADER = ["", "configuration", "median (ms)", "95% interval", "items/s", "speed-up", "rel. error"]
HEADER += ["SQNR (dB)", "memory"]
FRONT, WINNER = "*", ">"
"""Before the configurations of the front, and before the winner."""
SHOWN = 8
"""Configurations without a place on the front that the table shows; the fastest of them."""


def explanation_lines(explanation: Explanation, width: int | None = None) -> list[str]:
    """An explanation for people, in lines of at most ``width`` columns."""
    width = max(LEAST_WIDTH, width or WIDTH)
    return [
        *_heading(explanation, width),
        "",
        *_findings(explanation, width),
        "",
        *_limits(explanation, width),
        "",
        *_parts("By type", explanation.types, width),
        *_modules(explanation, width),
        "",
        *_operators(explanation, width),
        "",
        *_peaks(explanation, width),
        *_notes(explanation, width),
    ]


def _heading(one: Explanation, width: int) -> Iterator[str]:
    low, high = one.latency_low, one.latency_high
    interval = "" if low is None or high is None else f" ({low:.4g} to {high:.4g})"
    what = f"{one.runtime} {one.runtime_version}".strip()
    threads = "" if one.accelerator else f", {counted(one.threads, 'thread')}"
    yield from _wrapped(
        f"{one.build_name}: {one.latency:.4g} ms{interval} with {what} in {one.precision}"
        f"{threads}, on {one.device}",
        "",
        width,
    )
    if one.verdict is not None and not one.verdict.trusted:
        yield from _wrapped(f"Its outputs are not verified: {one.verdict}.", "", width)
    for caution in one.cautions:
        yield from _wrapped(f"Caution: {caution}", "", width)
    if one.no_roofline:
        yield from _wrapped(f"No roofline: {_inner(one.no_roofline)}", "", width)


def _findings(one: Explanation, width: int) -> Iterator[str]:
    if not one.findings:
        yield "Nothing stands out."
        return
    for number, finding in enumerate(one.findings, 1):
        yield from _wrapped(f"{number}. {finding.text}", "   ", width)
        yield from _wrapped(f"   Evidence: {finding.evidence}.", "   ", width)
        yield from _wrapped(f"   Try: {finding.advice}.", "   ", width)


def _limits(one: Explanation, width: int) -> Iterator[str]:
    yield "What holds it back"
    limits = LIMITS_ON_GPU if one.accelerator else LIMITS
    limits = WITHOUT_ROOFLINE if one.no_roofline else limits
    named = {**(LIMITS_BY_HOST if one.by_host else limits), "outside": one.outside}
    rows = [(ms, named[name]) for name, ms in one.limits.items()]
    for ms, words in sorted(rows, reverse=True):
        if abs(ms) >= LEAST_SHARE * one.latency:
            yield from _bar(ms, ms / one.latency, words, width)


def _bar(ms: float, share: float, words: str, width: int) -> Iterator[str]:
    bar = "█" * round(max(0.0, min(share, 1.0)) * BAR)
    head = f"  {bar:<{BAR}} {share:>5.0%} {milliseconds(ms):>8}  "
    yield _cut(head + one_line(words), width)


def _parts(title: str, parts: Sequence[Part], width: int) -> Iterator[str]:
    yield title
    for part in parts[:PARTS]:
        nodes = counted(part.count, "operator")
        yield from _bar(part.ms, part.share, f"{part.name} ({nodes})", width)
    rest = parts[PARTS:]
    if rest:
        ms, share = sum(p.ms for p in rest), sum(p.share for p in rest)
        yield from _bar(ms, share, counted(len(rest), "other"), width)


def _modules(one: Explanation, width: int) -> Iterator[str]:
    if len(one.modules) > 1:
        yield ""
        yield from _parts("By module", one.modules, width)


def _operators(one: Explanation, width: int) -> Iterator[str]:
    header = ["ms", "share", "of peak", "bound", "GFLOP", "MB", "type", "operator"]
    rows = [_cells(operator) for operator in one.operators[:OPERATORS]]
    more = len(one.operators) - len(rows)
    yield from (_cut(line, width) for line in text_table(header, rows))
    if more > 0:
        yield f"… and {more} more; --json has them all"


def _cells(operator: Operator) -> list[str]:
    efficiency = operator.efficiency
    return [
        f"{operator.ms:.3g}",
        f"{operator.share:.1%}",
        "?" if efficiency is None else f"{efficiency:.0%}",
        operator.bound.value,
        "?" if operator.flops is None else f"{operator.flops / 1e9:.3g}",
        "?" if operator.bytes is None else f"{operator.bytes / 1e6:.3g}",
        operator.op_type,
        operator.name,
    ]


def _peaks(one: Explanation, width: int) -> Iterator[str]:
    peaks = one.peaks
    products = ", ".join(f"{peaks.product(p):.0f} in {p}" for p in peaks.products)
    speeds = ", ".join(f"{speed:.0f} for {size(number)}" for number, speed in peaks.points())
    whose = f"this machine {peaks.where}" if peaks.threads else f"the {peaks.machine}"
    yield from _wrapped(f"Peaks of {whose}, measured:", "", width)
    yield from _wrapped(f"  matrix product (GFLOP/s): {products or 'unknown'}", "    ", width)
    yield from _wrapped(f"  memory (GB/s): {speeds or 'unknown'}", "    ", width)
    least = "" if one.no_roofline else f"; at these peaks {milliseconds(one.least_ms)}"
    yield from _wrapped(
        f"The model: {gigaflops(one.flops)}, {size(one.weight_bytes)} of weights, "
        f"{size(one.bytes)} to move{least}.",
        "",
        width,
    )


def _notes(one: Explanation, width: int) -> Iterator[str]:
    what = "Operators on the GPU" if one.accelerator and not one.by_host else "Operators"
    yield from _wrapped(
        f"{what} {milliseconds(one.operators_ms)} + {one.outside} "
        f"{milliseconds(one.outside_ms)} = {milliseconds(one.latency)}. Operator times: "
        f"{one.profiler}, {counted(one.profiled_runs, 'run')}.",
        "",
        width,
    )
    for note in one.notes:
        yield from _wrapped(note, "", width)
    for other in one.alternatives:
        found = milliseconds(other.ms) if other.ms is not None else f"failed: {other.reason}"
        yield from _wrapped(f"With {other.name}: {found}.", "", width)


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(
        one_line(text), width, subsequent_indent=indent, break_on_hyphens=False
    ) or [""]


def _inner(text: str) -> str:
    """A sentence as it follows a colon."""
    return text[:1].lower() + text[1:]


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"


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
    lines += ["", *text_table(HEADER, [_trial_cells(t, result) for t in rows]), ""]
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


def _trial_cells(trial: Trial, result: TuneResult) -> list[str]:
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
