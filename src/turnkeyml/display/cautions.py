"""What a reader must be told about measurements, in at most two sentences for all of them.

Many flags often have one root: other programs make runs vary, drift and take long to be known.
Here each root gets one sentence, and the two that matter most are told. Everything else is in the
record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from turnkeyml.measure.grade import LIMITS, disturbances
from turnkeyml.nouns import Evaluation, Flag, FlagKind, Grade, Performance

__all__ = ["cautions", "every_caution"]

MOST = 2

OF_THE_MACHINE = (FlagKind.HEAT, FlagKind.QUOTA, FlagKind.LOAD, FlagKind.STEAL)
"""They happened to all contestants, so that none is named."""
SYMPTOMS = (FlagKind.DRIFT, FlagKind.UNSTEADY, FlagKind.VARIATION)
"""What other programs do to a series of runs; the last also makes the interval wide."""
LENGTH = (FlagKind.FEW, FlagKind.CAP, FlagKind.SETTLED)
"""What makes the interval of the median wider than was asked for."""
ALWAYS_TOLD = (FlagKind.HEAT, FlagKind.QUOTA, FlagKind.PROCESSES)
"""Also beside an A: the measurement was not the one that was asked for."""
INCOMPLETE = 0.05
"""What a missing process weighs, which no interval shows: as much as heat."""

CHOSEN = {
    "quick": "leave out --quick",
    "iterations": "leave out --iterations or raise it",
}
"""What to do where an option made the measurement short, by the name of the rule."""
LONGER = "measure on a quieter machine or with --rigorous"
QUIETER = "measure on a quieter machine"


def cautions(evaluations: Iterable[Evaluation]) -> list[str]:
    """The most important sentences about some measurements that belong together, causes first."""
    measured = [_Measured(e, e.performance) for e in evaluations if e.performance is not None]
    found = list(_roots(measured))
    chosen = sorted(found, key=lambda root: -root.weight)[:MOST]
    return [root.sentence for root in found if root in chosen]


def every_caution(evaluations: Iterable[Evaluation]) -> list[str]:
    """Every flag of some measurements; once where several have the same."""
    found: dict[str, list[str]] = {}
    for evaluation in evaluations:
        for flag in evaluation.performance.flags if evaluation.performance else ():
            found.setdefault(flag.text, []).append(evaluation.label)
    return [f"{', '.join(labels)}: {_inner(text)}" for text, labels in found.items()]


@dataclass(frozen=True)
class _Root:
    """Why a number cannot be relied on as it is."""

    sentence: str
    weight: float
    """By how much, relative to it, it may have moved the median, or keeps it from being known."""


@dataclass(frozen=True)
class _Measured:
    """One evaluation that has a number."""

    evaluation: Evaluation
    performance: Performance

    @property
    def flags(self) -> list[Flag]:
        """Those to be told: beside an A only a few."""
        good = self.evaluation.grade is Grade.A
        return [f for f in self.performance.flags if not good or f.kind in ALWAYS_TOLD]

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
        """Whether its interval must be told, asked for or not."""
        differ = self.has(FlagKind.PROCESSES)
        return self.has(*LENGTH) or (self.width > LIMITS[Grade.B] and not differ)


def _roots(measured: Sequence[_Measured]) -> Iterator[_Root]:
    """One for each root that there is, causes before what follows from them."""
    for kind in (FlagKind.HEAT, FlagKind.QUOTA):
        yield from _root(measured, kind)
    loaded = any(m.has(FlagKind.LOAD, FlagKind.STEAL) for m in measured)
    for kind in (FlagKind.LOAD, FlagKind.STEAL):
        yield from _root(measured, kind, SYMPTOMS)
    short = [m for m in measured if m.is_wide() and (m.rule in CHOSEN or not loaded)]
    if short:
        yield _length(short, measured)
    if not loaded:
        yield from _unrest(measured, SYMPTOMS[:-1] if short else SYMPTOMS)
    yield from _root(measured, FlagKind.PROCESSES, least=INCOMPLETE)
    yield from (r for r in _root(measured, FlagKind.TIMER) if r.weight > LIMITS[Grade.A])
    yield from _root(measured, FlagKind.THREADS)


def _root(
    measured: Sequence[_Measured],
    kind: FlagKind,
    explains: tuple[FlagKind, ...] = (),
    least: float = 0.0,
) -> Iterator[_Root]:
    """What the flags of a kind say, in the words of the gravest, and with the weight of all."""
    those = [m for m in measured if m.has(kind)]
    if not those:
        return
    gravest = max(those, key=lambda m: m.weight(kind))
    text = [flag.text for flag in gravest.flags if flag.kind is kind][-1]
    affected = [m for m in measured if m.has(kind, *explains)]
    weight = max(least, *(m.weight(kind, *explains) for m in affected))
    named = text if kind in OF_THE_MACHINE else _named(those, measured, text)
    yield _Root(named, weight)


def _unrest(measured: Sequence[_Measured], kinds: Sequence[FlagKind]) -> Iterator[_Root]:
    """Runs that are not alike without a known cause, in the words of the first kind there is."""
    for kind in kinds:
        if any(m.has(kind) for m in measured):
            yield from _root(measured, kind, SYMPTOMS)
            return


def _length(short: Sequence[_Measured], measured: Sequence[_Measured]) -> _Root:
    """How well the medians are known, and how to know them better."""
    worst = max(m.width for m in short)
    those = [m for m in short if m.width == worst] if math.isinf(worst) else list(short)
    several = len(those) > 1
    median = "medians are" if several else "median is"
    text = f"The {median} only known to ±{_percent(worst)}{' at worst' if several else ''}"
    if math.isinf(worst):
        text = f"The samples are too few to tell how well the {median} known"
    return _Root(_named(those, measured, f"{text}: {_advice(those[0].rule)}."), worst)


def _advice(rule: str) -> str:
    return CHOSEN.get(rule, QUIETER if rule == "rigorous" else LONGER)


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.1 else f"{share:.0%}"


def _named(those: Sequence[_Measured], measured: Sequence[_Measured], text: str) -> str:
    """With the contestants that it is about, unless it is about all."""
    if len(those) == len(measured):
        return text
    return f"{', '.join(m.evaluation.label for m in those)}: {_inner(text)}"


def _inner(text: str) -> str:
    """A sentence after a colon."""
    return text[:1].lower() + text[1:]
