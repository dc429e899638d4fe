"""Flags: what a reader must know about a measurement, and all that follows from each kind.

``TRAITS`` has one row per kind. Grades, comparisons, cautions and explanations read it, so they
cannot disagree about a disturbance.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from turnkeyml.nouns.plain import Word

OTHER_SHARE = 0.05
"""Of the processors, that other programs may use on average without consequence."""


class FlagKind(Word):
    """The kind of a problem with a measurement."""

    CAP = "cap"
    SETTLED = "settled"
    PROCESSES = "processes"
    FEW = "few"
    UNSTEADY = "unsteady"
    TIMER = "timer"
    DRIFT = "drift"
    VARIATION = "variation"
    LOAD = "load"
    STEAL = "steal"
    QUOTA = "quota"
    HEAT = "heat"
    THREADS = "threads"
    PLACEMENT = "placement"
    ARTIFACT = "artifact"
    REPORTED = "self-reported"
    THROTTLE = "throttle"
    FOREIGN = "foreign"
    OVERLOAD = "overload"
    LATE = "late"
    SEEN = "seen-inputs"
    """Faster on inputs that it has seen than on others."""
    VALUES = "values"
    """The latency depends on the values of the inputs."""
    DUMMY = "dummy-inputs"
    """The recorded inputs are one number each, on which the model leaves work out."""
    STATE = "state"
    """The model kept or changed something from one call to the next."""
    FOLDED = "folded"
    """A share of the model does not depend on any input; the runtime computes it once."""
    IMPLAUSIBLE = "implausible"
    """Faster than the machine can be, or than the runs that were verified."""
    METHODS = "outside-of-run"
    """The session works outside of the method that is timed."""
    OWN_LOAD = "own-load"
    """Threads or processes that the script left behind were running."""

    @property
    def traits(self) -> Traits:
        """What follows from a flag of this kind."""
        return TRAITS[self]

    @property
    def discredits(self) -> bool:
        """Whether the latency is not that of the model: it earns no grade and wins no race."""
        return TRAITS[self].aspect is Aspect.CREDIBILITY


class Aspect(Word):
    """What a flag is about."""

    CREDIBILITY = "credibility"
    """The latency is not that of the model."""
    MODEL = "model"
    """What the latency is that of, if that is not the whole model on any inputs."""
    MACHINE = "machine"
    """What others did to the machine; the sentence names no contestant."""
    SERIES = "series"
    """Runs that vary: an effect of what others do."""
    LENGTH = "length"
    """The interval of the median is wider than the rule asks for."""
    METHOD = "method"
    """How it was measured."""


@dataclass(frozen=True)
class Traits:
    """What follows from a flag, besides its sentence."""

    aspect: Aspect
    margin: float = 0.0
    """The relative error of the median that it stands for; where ``measured`` names a figure, that
    figure says it instead."""
    measured: str = ""
    """The field of ``Disturbance`` with the share of the time that was lost."""
    in_compare: bool = True
    """Whether a comparison of two medians counts it too."""
    with_grade_a: bool = False
    """Whether it is shown even with grade A: the measurement was not the requested one."""
    under_load: bool = True
    """Whether it means something for requests that wait in a queue."""
    in_explanations: bool = False
    """Whether it says something about the machine, and so about every finding of ``explain``."""


_M = Aspect.MACHINE
TRAITS: dict[FlagKind, Traits] = {
    FlagKind.SEEN: Traits(Aspect.CREDIBILITY, with_grade_a=True),
    FlagKind.DUMMY: Traits(Aspect.CREDIBILITY, with_grade_a=True),
    FlagKind.METHODS: Traits(Aspect.CREDIBILITY, with_grade_a=True),
    FlagKind.IMPLAUSIBLE: Traits(Aspect.CREDIBILITY, with_grade_a=True),
    FlagKind.STATE: Traits(Aspect.MODEL, with_grade_a=True),
    FlagKind.FOLDED: Traits(Aspect.MODEL, with_grade_a=True),
    FlagKind.VALUES: Traits(Aspect.MODEL, with_grade_a=True),
    FlagKind.HEAT: Traits(_M, margin=0.05, with_grade_a=True, in_explanations=True),
    FlagKind.THROTTLE: Traits(_M, margin=0.05, with_grade_a=True, in_explanations=True),
    FlagKind.FOREIGN: Traits(_M, margin=0.05, with_grade_a=True),
    FlagKind.QUOTA: Traits(_M, measured="throttled", with_grade_a=True, in_explanations=True),
    FlagKind.LOAD: Traits(_M, measured="others", in_explanations=True),
    FlagKind.OWN_LOAD: Traits(_M, measured="own", with_grade_a=True),
    FlagKind.STEAL: Traits(_M, measured="stolen", in_explanations=True),
    # A comparison knows how far apart the processors were, and compares like with like.
    FlagKind.PLACEMENT: Traits(_M, margin=0.05, in_compare=False),
    FlagKind.DRIFT: Traits(Aspect.SERIES, margin=0.03, under_load=False),
    FlagKind.UNSTEADY: Traits(Aspect.SERIES, margin=0.03, under_load=False),
    FlagKind.VARIATION: Traits(Aspect.SERIES, under_load=False),
    FlagKind.FEW: Traits(Aspect.LENGTH, under_load=False),
    FlagKind.CAP: Traits(Aspect.LENGTH, under_load=False),
    FlagKind.SETTLED: Traits(Aspect.LENGTH, under_load=False),
    # The clock costs both sides of a comparison the same.
    FlagKind.TIMER: Traits(Aspect.METHOD, measured="timer", in_compare=False, under_load=False),
    FlagKind.PROCESSES: Traits(Aspect.METHOD, with_grade_a=True),
    FlagKind.THREADS: Traits(Aspect.METHOD),
    FlagKind.ARTIFACT: Traits(Aspect.METHOD, with_grade_a=True),
    FlagKind.REPORTED: Traits(Aspect.METHOD, with_grade_a=True),
    FlagKind.OVERLOAD: Traits(Aspect.METHOD, with_grade_a=True),
    FlagKind.LATE: Traits(Aspect.METHOD, with_grade_a=True),
}


@dataclass(frozen=True)
class Flag:
    """A problem with a measurement, in a sentence that says what to do about it."""

    kind: FlagKind
    text: str


@dataclass(frozen=True)
class Disturbance:
    """The flags of a measurement, and the shares of the machine that it did not have."""

    kinds: Collection[str]
    others: float = 0.0
    """Of our processors, that other programs used."""
    own: float = 0.0
    """Of our processors, that what the script left running used."""
    stolen: float = 0.0
    """Of our processor time, that the hypervisor gave to others."""
    throttled: float = 0.0
    """Of the wall time, in which a CPU quota throttled us."""
    timer: float = 0.0
    """Of a sample, that reading the clock takes."""


def margins(found: Disturbance, *, in_compare: bool = False) -> dict[FlagKind, float]:
    """The relative error of the median that each kind of disturbance may have caused.

    A program that takes a share of the processors may take that share of the time; ``OTHER_SHARE``
    has no consequence. ``in_compare`` leaves out what does not change the ratio of two medians.
    """
    told = {}
    for kind, traits in TRAITS.items():
        margin = traits.margin if kind in found.kinds else 0.0
        if traits.measured:
            spared = OTHER_SHARE if traits.measured in ("others", "own") else 0.0
            margin = max(0.0, getattr(found, traits.measured) - spared)
        told[kind] = margin if traits.in_compare or not in_compare else 0.0
    return told
