"""The decisions of a model that an exporter froze, and the inputs that show it.

A model that reads values of its inputs is run on more of them, ordinary and unusual ones, and we
see on which it takes other branches than on the recorded ones. A build is compared on these: what
departs there froze a decision. Where a decision never turned, that is part of the verdict.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import torch

from turnkeyml.build import FEW_SETS_BYTES, BuildContext, comparable_on, differ
from turnkeyml.errors import describe
from turnkeyml.frameworks.torch.branches import Branches, CallWork, Read
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import InvocationRecord, Verdict, Verification
from turnkeyml.verify import UNUSUAL, Outputs, Reference, draw_around, draw_unusual

MOST_SETS = 4
"""The most sets with other branches that are kept; each is a part of the build."""

MOST_SETS_THAT_TURN = 8
"""The same where a boolean comes out otherwise for the first time, or other weights or, for the
first time, other operators are used."""

MOST_RUNS_LARGE = 6
"""The most unusual sets that are tried with a model of many weights. Others are tried with all."""

MOST_WORK = 20
"""How many times as many operators as on the recorded inputs a model may run on others, and how
many times as many numbers it may compute."""

FEW_NUMBERS = 100_000_000
"""So many numbers any model may compute."""

Line = tuple[str, int]
"""A file and the number of a line in it."""


class Decisions:
    """The decisions of a model, which is watched when an export of it is verified.

    Torch does not warn of everything that it freezes, so the model itself says what it reads.
    """

    def __init__(self, bench: BuildContext) -> None:
        self._bench = bench

    @functools.cached_property
    def _exploration(self) -> Exploration:
        """What other inputs show. The sets with other branches become held-out sets."""
        subject, reference = self._bench.subject, self._bench.reference
        if not isinstance(subject, TorchSubject):
            return Exploration()
        found = explore(subject, reference)
        reference.held_out = (*reference.held_out, *found.sets)
        return found

    def reference(self) -> Reference:
        """What an export is verified by: on more inputs than a later file if it reads numbers."""
        alike, reference = self._exploration.alike, self._bench.reference
        if not alike:
            return reference
        more = copy.copy(reference)
        more.held_out = (*reference.held_out, *alike)
        return more

    def frozen(self, found: Verification, warned: list[Warned], *, traced: bool) -> tuple[str, ...]:
        """Where values are frozen: all if that made it specialised, else what nothing exercised.

        ``traced``: the export holds what one run did; otherwise decisions by value do not export.
        """
        relevant = [w for w in warned if self._exploration.concerns(w.line)]
        if found.verdict is Verdict.SPECIALISED:
            named = [str(w) for w in relevant or warned if not w.in_torch]
            return tuple(named) or self._read_at(self._exploration.reads) or tuple(map(str, warned))
        if not found.trusted or not traced:
            return ()
        unseen = [str(w) for w in relevant if not self._exploration.turned(w.line)]
        lines = {w.line for w in warned}
        silent = [r for r in self._exploration.silent if not r.lines & lines]
        return (*unseen, *self._read_at(r for r in silent if not self._exploration.has_turned(r)))

    @staticmethod
    def _read_at(reads: Iterable[Read]) -> tuple[str, ...]:
        """Where the original reads values of its inputs and torch does not warn of it."""
        return tuple(dict.fromkeys(f"{read.place}: reading a value" for read in reads))


@dataclass(frozen=True)
class Warned:
    """A line where torch's tracer warns that it took a value as a constant.

    It warns of shapes as well, which are the same in every run of a build.
    """

    line: Line
    what: str

    @property
    def in_torch(self) -> bool:
        """Whether it is a line of torch, which says nothing of the model's."""
        return Path(torch.__file__).parent in Path(self.line[0]).parents

    def __str__(self) -> str:
        return f"{Path(self.line[0]).name}, line {self.line[1]}: {self.what}"


def warnings_of(caught: Iterable[warnings.WarningMessage]) -> list[Warned]:
    """The warnings of torch's tracer, each line and kind once."""
    found = [w for w in caught if issubclass(w.category, torch.jit.TracerWarning)]
    return list(dict.fromkeys(Warned((w.filename, w.lineno), _what(w)) for w in found))


def _what(warning: warnings.WarningMessage) -> str:
    words = str(warning.message).partition(" might cause")[0].partition(". ")[0]
    line = words.strip().splitlines()[0]
    return f"{line[0].lower()}{line[1:]}"


@dataclass(frozen=True)
class Exploration:
    """What is known of the decisions of a model."""

    recorded: Branches | None = None
    """On the recorded inputs; None if it cannot be watched."""
    others: tuple[Branches, ...] = ()
    sets: tuple[Reference, ...] = ()
    """Unusual sets on which it takes other branches."""
    alike: tuple[Reference, ...] = ()
    """Unusual sets on which it does not, as far as can be seen; none unless it reads numbers."""

    @property
    def reads(self) -> list[Read]:
        """What it reads of the recorded inputs."""
        return [*self.recorded.reads.values()] if self.recorded else []

    @property
    def booleans(self) -> list[Read]:
        """Where it reads a boolean."""
        return [read for read in self.reads if any(isinstance(v, bool) for v in read.values)]

    @property
    def silent(self) -> list[Read]:
        """Where it decides and torch's tracer need not say so."""
        return [read for read in self.reads if read.leaves or read in self.booleans]

    @property
    def reads_numbers(self) -> bool:
        """Whether it reads numbers, which may decide something without our seeing it."""
        return any(None in read.values for read in self.reads)

    @property
    def has_all_turned(self) -> bool:
        """Whether everything that it reads came out otherwise on some inputs."""
        return all(map(self.has_turned, self.reads))

    @property
    def is_complete(self) -> bool:
        """Whether more inputs can show nothing new: an integer may always have one more value."""
        if self.recorded is None or self.recorded.has_dynamic_shapes:
            return False
        return all(read.is_boolean and self.has_turned(read) for read in self.reads)

    def concerns(self, line: Line) -> bool:
        """Whether a line may read a value that depends on the inputs, and not only a shape."""
        if self.recorded is None or self.recorded.has_dynamic_shapes:
            return True
        return any(line in read.lines for read in self.reads)

    def turned(self, line: Line) -> bool:
        """Whether the decisions on that line came out otherwise on some other inputs."""
        reads = [read for read in self.reads if line in read.lines]
        return all(map(self.has_turned, reads)) if reads else self.takes_other_paths

    def has_turned(self, read: Read) -> bool:
        """Whether a decision came out otherwise on some other inputs, as far as can be seen.

        Which numbers decide something is not: another length may be padded to the same size.
        """
        if not read.is_boolean:
            return self.takes_other_paths
        others = [branches.reads.get(read.spot, read) for branches in self.others]
        return any(other.values != read.values for other in others)

    @property
    def takes_other_paths(self) -> bool:
        """Whether it ran other operators on some other inputs."""
        known = self.recorded
        return known is not None and any(branches.path != known.path for branches in self.others)


class Deciding(Protocol):
    """A model that can be run on other inputs, and watched."""

    @property
    def record(self) -> InvocationRecord: ...

    def compute_on(self, inputs: Outputs) -> Reference: ...

    def branches_on(self, inputs: Outputs, most: CallWork | None = None) -> Branches: ...


def explore(subject: Deciding, reference: Reference) -> Exploration:
    """Watch the original on the recorded, the held-out and unusual inputs."""
    recorded = _watched(subject, reference.inputs)
    if recorded is None or not (recorded.reads or recorded.has_dynamic_shapes):
        return Exploration(recorded)
    if not reference.deterministic:  # on other inputs nothing could be compared
        return Exploration(recorded)
    found = Exploration(recorded)
    for held in reference.held_out:
        branches = _watched(subject, held.inputs, _most(recorded))
        if branches is not None:
            held.other_course = not branches.same_as(recorded)
            found = replace(found, others=(*found.others, branches))
    for inputs in _unusual(subject, reference):
        if found.is_complete:
            break
        branches = _watched(subject, inputs, _most(recorded))
        if branches is not None:
            found = _with(found, branches, subject, inputs)
    return _around_thresholds(found, recorded, subject, reference)


def _around_thresholds(
    found: Exploration, recorded: Branches, subject: Deciding, reference: Reference
) -> Exploration:
    """What is known after inputs around the numbers that values are compared with."""
    if subject.record.parameter_bytes > FEW_SETS_BYTES:
        return found
    numbers = (*recorded.compared, *recorded.mentioned)
    for inputs in draw_around(reference.inputs, numbers):
        if found.has_all_turned:
            break
        if differ(inputs, reference.inputs):
            branches = _watched(subject, inputs, _most(recorded))
            found = _with(found, branches, subject, inputs) if branches is not None else found
    return found


def _with(
    found: Exploration, branches: Branches, subject: Deciding, inputs: Outputs
) -> Exploration:
    """What is known after one more set of inputs, which is kept if it may show something new."""
    recorded = found.recorded
    assert recorded is not None
    other = not branches.same_as(recorded)
    is_new = not any(branches.same_as(known) for known in found.others)
    before, found = found, replace(found, others=(*found.others, branches))
    turns = any(found.has_turned(r) and not before.has_turned(r) for r in found.booleans)
    turns |= all(branches.weights != known.weights for known in (recorded, *before.others))
    turns |= not before.takes_other_paths and branches.path != recorded.path
    room = len(found.sets) < (MOST_SETS_THAT_TURN if turns else MOST_SETS)
    reference = None
    if (is_new and room) if other else found.reads_numbers:
        reference = comparable_on(subject.compute_on, inputs, "unusual")
    if reference is None:
        return found
    reference.other_course = other
    if other:
        return replace(found, sets=(*found.sets, reference))
    return replace(found, alike=(*found.alike, reference))


def _most(recorded: Branches) -> CallWork:
    """The most that a model may do on other inputs."""
    numbers = max(FEW_NUMBERS, MOST_WORK * recorded.numbers)
    return CallWork(MOST_WORK * recorded.operators, numbers)


def _unusual(subject: Deciding, reference: Reference) -> Iterator[Outputs]:
    """Unusual inputs, fewer of them for a large model."""
    left = MOST_RUNS_LARGE if subject.record.parameter_bytes > FEW_SETS_BYTES else len(UNUSUAL)
    for variant in UNUSUAL:
        inputs = draw_unusual(reference.inputs, variant)
        if left and differ(inputs, reference.inputs):
            left -= 1
            yield inputs


def _watched(subject: Deciding, inputs: Outputs, most: CallWork | None = None) -> Branches | None:
    """The branches of the original; None if it does not accept the inputs or cannot be watched."""
    try:
        return subject.branches_on(inputs, most)
    except Exception as error:  # noqa: BLE001 - an invalid input; the log says why
        print(f"The original cannot be watched on other inputs: {describe(error)}", flush=True)
        return None
