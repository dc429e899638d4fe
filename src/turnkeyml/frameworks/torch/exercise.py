"""Looking for inputs on which a model that decides by value decides otherwise.

An exporter that warns of a value that it froze does not say whether it matters. So the original is
run on more inputs, ordinary and unusual ones, and we see which of them take another course than the
recorded ones. A build is compared on these: what departs there froze a decision. Where a decision
never turned, that is part of the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from turnkeyml.build.subject import FEW_SETS_BYTES, differ, is_comparable
from turnkeyml.errors import describe
from turnkeyml.frameworks.torch.course import Course
from turnkeyml.nouns import InvocationRecord
from turnkeyml.verify.reference import Outputs, Reference
from turnkeyml.verify.unusual import UNUSUAL, draw_unusual

__all__ = ["Exercise", "Line", "exercise"]

MOST_SETS = 4
"""The most sets with another course that are kept; each is a part of the build."""
MOST_RUNS_LARGE = 6
"""The most unusual sets that are tried with a model of many weights. Others are tried with all."""
MOST_WORK = 20
"""How many times as many operators as on the recorded inputs a model may run on others."""

Line = tuple[str, int]
"""A file and the number of a line in it."""


class Deciding(Protocol):
    """A model that can be run on other inputs, and watched."""

    @property
    def record(self) -> InvocationRecord: ...

    def compute_on(self, inputs: Outputs) -> Reference: ...

    def course_on(self, inputs: Outputs, most: int | None = None) -> Course: ...


@dataclass(frozen=True)
class Exercise:
    """What is known of the decisions of a model."""

    recorded: Course | None = None
    """On the recorded inputs; None if it cannot be watched."""
    others: tuple[Course, ...] = ()
    sets: tuple[Reference, ...] = ()
    """Unusual sets on which it takes another course."""
    alike: tuple[Reference, ...] = ()
    """Unusual sets on which it does not, as far as can be seen; none unless it reads numbers."""

    @property
    def reads_numbers(self) -> bool:
        """Whether the model reads numbers, which may decide something without our seeing it."""
        reads = self.recorded.reads.values() if self.recorded else ()
        return any(None in read.values for read in reads)

    @property
    def is_complete(self) -> bool:
        """Whether more inputs can show nothing new."""
        if self.recorded is None or self.recorded.has_dynamic_shapes or self.reads_numbers:
            return False
        return all(self._turned(place) for place in self.recorded.reads)

    def concerns(self, line: Line) -> bool:
        """Whether a line may read a value that depends on the inputs, and not only a shape."""
        if self.recorded is None or self.recorded.has_dynamic_shapes:
            return True
        return any(line in read.lines for read in self.recorded.reads.values())

    def turned(self, line: Line) -> bool:
        """Whether a decision on that line came out otherwise on some other inputs."""
        if self.recorded is None:
            return False
        places = [read for read in self.recorded.reads.values() if line in read.lines]
        if not places or any(None in read.values for read in places):
            return any(course.path != self.recorded.path for course in self.others)
        return all(self._turned(read.place) for read in places)

    def _turned(self, place: str) -> bool:
        assert self.recorded is not None
        known = self.recorded.reads[place].values
        return any(
            place not in course.reads or course.reads[place].values != known
            for course in self.others
        )


def exercise(subject: Deciding, reference: Reference) -> Exercise:
    """Watch the original on the recorded, the held-out and unusual inputs."""
    recorded = _watched(subject, reference.inputs)
    if recorded is None or not (recorded.reads or recorded.has_dynamic_shapes):
        return Exercise(recorded)
    if not reference.deterministic:  # on other inputs nothing could be compared
        return Exercise(recorded)
    found = Exercise(recorded)
    for held in reference.held_out:
        course = _watched(subject, held.inputs, MOST_WORK * recorded.operators)
        if course is not None:
            held.other_course = not course.same_as(recorded)
            found = replace(found, others=(*found.others, course))
    for inputs in _unusual(subject, reference):
        if found.is_complete:
            break
        course = _watched(subject, inputs, MOST_WORK * recorded.operators)
        if course is not None:
            found = _with(found, course, subject, inputs)
    return found


def _with(found: Exercise, course: Course, subject: Deciding, inputs: Outputs) -> Exercise:
    """What is known after one more set of inputs, which is kept if it may show something new."""
    assert found.recorded is not None
    other = not course.same_as(found.recorded)
    is_new = not any(course.same_as(known) for known in found.others)
    wanted = (is_new and len(found.sets) < MOST_SETS) if other else found.reads_numbers
    reference = _reference_on(subject, inputs) if wanted else None
    found = replace(found, others=(*found.others, course))
    if reference is None:
        return found
    reference.other_course = other
    if other:
        return replace(found, sets=(*found.sets, reference))
    return replace(found, alike=(*found.alike, reference))


def _unusual(subject: Deciding, reference: Reference) -> Iterator[Outputs]:
    """Unusual inputs, fewer of them for a large model."""
    left = MOST_RUNS_LARGE if subject.record.parameter_bytes > FEW_SETS_BYTES else len(UNUSUAL)
    for variant in UNUSUAL:
        inputs = draw_unusual(reference.inputs, variant)
        if left and differ(inputs, reference.inputs):
            left -= 1
            yield inputs


def _watched(subject: Deciding, inputs: Outputs, most: int | None = None) -> Course | None:
    """The course of the original; None if it does not accept the inputs or cannot be watched."""
    try:
        return subject.course_on(inputs, most)
    except Exception as error:  # noqa: BLE001 - an invalid input; the log says why
        print(f"The original cannot be watched on other inputs: {describe(error)}", flush=True)
        return None


def _reference_on(subject: Deciding, inputs: Outputs) -> Reference | None:
    """What the original computes; None if that is nothing to compare with."""
    try:
        found = subject.compute_on(inputs)
    except Exception as error:  # noqa: BLE001 - an invalid input; the log says why
        print(f"The original fails on unusual inputs: {describe(error)}", flush=True)
        return None
    return found if is_comparable(found.outputs) else None
