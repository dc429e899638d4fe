"""The overview of many inputs: one line per input, and a summary at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from turnkeyml.escaping import LONGEST_CELL, one_line
from turnkeyml.nouns import (
    WAITING,
    Cause,
    Evaluation,
    Grade,
    InputResult,
    InvocationResult,
    Verdict,
    Verification,
    in_words,
    label_of,
)
from turnkeyml.report import kind_of, significant, text_table

SLOWEST = 5
GROUPS = 12
EXAMPLES = 3
PHASES = ("script", "build", "measure", WAITING)


def line_of(result: InputResult) -> str:
    """One line about an input: the outcome, and the latency or the reason of the failure."""
    point = " ".join(f"{name}={value}" for name, value in result.parameters.items())
    name = one_line(f"{result.input.name} {point}".rstrip(), LONGEST_CELL)
    return f"{_outcome(result):<9}{name}  {_figure(result)}".rstrip()


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
