"""Cautions: at most two sentences about what was wrong with measurements that belong together.

Many flags often have one root cause: other programs make runs vary, drift and need more samples.
Each root cause gets one sentence, and the two most severe are shown. The rest is in the record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from turnkeyml.measure import LIMITS, disturbances
from turnkeyml.nouns import Aspect, Evaluation, Flag, FlagKind, Grade, Performance

MOST = 2
"""Sentences that are shown."""

SYMPTOMS = (FlagKind.DRIFT, FlagKind.UNSTEADY, FlagKind.VARIATION)
"""Effects of other programs on a series of runs; the last one also widens the interval."""
LENGTH = tuple(kind for kind in FlagKind if kind.traits.aspect is Aspect.LENGTH)
ABOUT_THE_MODEL = (FlagKind.STATE, FlagKind.FOLDED, FlagKind.VALUES)
"""In the order in which they are told."""
LIMITED = 0.5
"""The weight of what a latency is only that of: more than what moves a median a little."""
INCOMPLETE = 0.05
"""The weight of a missing process, which no interval shows: the same as heat."""

CHOSEN = {
    "quick": "leave out --quick",
    "iterations": "leave out --iterations or raise it",
}
"""The advice if an option made the measurement short, by the name of the rule."""
LONGER = "measure on a quieter machine or with --rigorous"
QUIETER = "measure on a quieter machine"
BUSY = "send more requests, with --rigorous or --iterations"


def cautions(evaluations: Iterable[Evaluation]) -> list[str]:
    """The most important sentences about measurements that belong together, causes first."""
    measured = [_Measured(e, e.performance) for e in evaluations if e.performance is not None]
    found = list(_roots(measured))
    chosen = sorted(found, key=lambda root: -root.weight)[:MOST]
    return [root.sentence for root in found if root in chosen]


def every_caution(evaluations: Iterable[Evaluation]) -> list[str]:
    """One sentence per flag of the measurements; once if several share it."""
    found: dict[str, list[str]] = {}
    for evaluation in evaluations:
        for flag in evaluation.performance.flags if evaluation.performance else ():
            found.setdefault(flag.text, []).append(evaluation.label)
    return [f"{', '.join(labels)}: {_inner(text)}" for text, labels in found.items()]


@dataclass(frozen=True)
class _Root:
    """A root cause that makes a median less reliable."""

    sentence: str
    weight: float
    """The relative error of the median that it may have caused."""


@dataclass(frozen=True)
class _Measured:
    """A successful evaluation."""

    evaluation: Evaluation
    performance: Performance

    @property
    def flags(self) -> list[Flag]:
        """The flags to show: with grade A only a few."""
        good = self.evaluation.grade is Grade.A
        return [f for f in self.performance.flags if not good or f.kind.traits.with_grade_a]

    @property
    def width(self) -> float:
        width = self.performance.relative_half_width
        return math.inf if width is None else width

    @property
    def rule(self) -> str:
        conditions = self.evaluation.conditions
        return str(conditions.rule.get("name", "")) if conditions else ""

    def has(self, *kinds: FlagKind) -> bool:
        return any(flag.kind in kinds for flag in self.flags)

    def weight(self, *kinds: FlagKind) -> float:
        found = disturbances(self.performance, self.evaluation.conditions)
        return max(found.get(kind, 0.0) for kind in kinds if self.has(kind))

    def is_wide(self) -> bool:
        """Whether to show how wide its interval is."""
        if self.has(FlagKind.REPORTED, FlagKind.OVERLOAD):
            return False
        differ = self.has(FlagKind.PROCESSES)
        return self.has(*LENGTH) or (self.width > LIMITS[Grade.B] and not differ)


def _roots(measured: Sequence[_Measured]) -> Iterator[_Root]:
    """One entry per root cause, causes before their effects."""
    yield from _discrediting(measured)
    yield from _root(measured, FlagKind.ARTIFACT, least=math.inf)
    yield from _root(measured, FlagKind.REPORTED, least=math.inf)
    yield from _root(measured, FlagKind.OVERLOAD, least=math.inf)
    for kind in ABOUT_THE_MODEL:
        yield from _root(measured, kind, least=LIMITED)
    yield from _root(measured, FlagKind.LATE, least=INCOMPLETE)
    yield from _root(measured, FlagKind.OWN_LOAD, SYMPTOMS, least=INCOMPLETE)
    for kind in (FlagKind.HEAT, FlagKind.THROTTLE, FlagKind.FOREIGN, FlagKind.QUOTA):
        yield from _root(measured, kind)
    loads = (FlagKind.LOAD, FlagKind.STEAL)
    loaded = any(m.has(*loads, FlagKind.OWN_LOAD) for m in measured)
    for kind in loads:
        yield from _root(measured, kind, SYMPTOMS)
    yield from _root(measured, FlagKind.PLACEMENT)
    short = [m for m in measured if m.is_wide() and (m.rule in CHOSEN or not loaded)]
    if short:
        yield _length(short, measured)
    if not loaded:
        yield from _unrest(measured, SYMPTOMS[:-1] if short else SYMPTOMS)
    yield from _root(measured, FlagKind.PROCESSES, least=INCOMPLETE)
    yield from (r for r in _root(measured, FlagKind.TIMER) if r.weight > LIMITS[Grade.A])
    yield from _root(measured, FlagKind.THREADS)


def _discrediting(measured: Sequence[_Measured]) -> Iterator[_Root]:
    """Why a latency is not that of the model; what is too fast has one of the other causes."""
    causes = (FlagKind.SEEN, FlagKind.DUMMY, FlagKind.METHODS)
    for kind in causes:
        yield from _root(measured, kind, least=math.inf)
    if not any(m.has(*causes) for m in measured):
        yield from _root(measured, FlagKind.IMPLAUSIBLE, least=math.inf)


def _root(
    measured: Sequence[_Measured],
    kind: FlagKind,
    explains: tuple[FlagKind, ...] = (),
    least: float = 0.0,
) -> Iterator[_Root]:
    """The sentence of the most severe flag of a kind, with the weight of all of them."""
    those = [m for m in measured if m.has(kind)]
    if not those:
        return
    worst = max(those, key=lambda m: m.weight(kind))
    text = [flag.text for flag in worst.flags if flag.kind is kind][-1]
    affected = [m for m in measured if m.has(kind, *explains)]
    weight = max(least, *(m.weight(kind, *explains) for m in affected))
    named = text if kind.traits.aspect is Aspect.MACHINE else _named(those, measured, text)
    yield _Root(named, weight)


def _unrest(measured: Sequence[_Measured], kinds: Sequence[FlagKind]) -> Iterator[_Root]:
    """Runs that vary without a known cause, by the first of these kinds that was flagged."""
    for kind in kinds:
        if any(m.has(kind) for m in measured):
            yield from _root(measured, kind, SYMPTOMS)
            return


def _length(short: Sequence[_Measured], measured: Sequence[_Measured]) -> _Root:
    """How precisely the medians are known, and how to measure them more precisely."""
    worst = max(m.width for m in short)
    those = [m for m in short if m.width == worst] if math.isinf(worst) else list(short)
    several = len(those) > 1
    median = "medians are" if several else "median is"
    text = f"The {median} only known to ±{_percent(worst)}{' at worst' if several else ''}"
    if math.isinf(worst):
        text = f"The samples are too few to tell how well the {median} known"
    return _Root(_named(those, measured, f"{text}: {_advice(those[0])}."), worst)


def _advice(one: _Measured) -> str:
    if one.rule not in CHOSEN and one.evaluation.under_load is not None:
        return BUSY
    return CHOSEN.get(one.rule, QUIETER if one.rule == "rigorous" else LONGER)


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.1 else f"{share:.0%}"


def _named(those: Sequence[_Measured], measured: Sequence[_Measured], text: str) -> str:
    """A sentence with the contestants that it is about, unless it is about all."""
    if len(those) == len(measured):
        return text
    return f"{', '.join(m.evaluation.label for m in those)}: {_inner(text)}"


def _inner(text: str) -> str:
    """A sentence as it follows a colon: in lower case."""
    return text[:1].lower() + text[1:]
