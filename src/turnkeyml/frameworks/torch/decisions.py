"""What an exporter froze of the decisions of a model, and whether that matters."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

from turnkeyml.build import Workbench
from turnkeyml.frameworks.torch.course import Read
from turnkeyml.frameworks.torch.exercise import Exercise, Line, exercise
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import Reference


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


class Decisions:
    """The decisions of a model, which is watched when an export of it is verified.

    Torch does not warn of everything that it freezes, so the model itself says what it reads.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    @functools.cached_property
    def _exercise(self) -> Exercise:
        """What other inputs show. The sets with another course become held-out sets."""
        subject, reference = self._bench.subject, self._bench.reference
        if not isinstance(subject, TorchSubject):
            return Exercise()
        found = exercise(subject, reference)
        reference.held_out = (*reference.held_out, *found.sets)
        return found

    def reference(self) -> Reference:
        """What an export is verified by: on more inputs than a later file if it reads numbers."""
        alike, reference = self._exercise.alike, self._bench.reference
        if not alike:
            return reference
        more = copy.copy(reference)
        more.held_out = (*reference.held_out, *alike)
        return more

    def frozen(self, found: Verification, warned: list[Warned], *, traced: bool) -> tuple[str, ...]:
        """Where values are frozen: all if that made it specialised, else what nothing exercised.

        ``traced``: the export holds what one run did; otherwise decisions by value do not export.
        """
        relevant = [w for w in warned if self._exercise.concerns(w.line)]
        if found.verdict is Verdict.SPECIALISED:
            named = [str(w) for w in relevant or warned if not w.in_torch]
            return tuple(named) or self._read_at(self._exercise.reads) or tuple(map(str, warned))
        if not found.trusted or not traced:
            return ()
        unseen = [str(w) for w in relevant if not self._exercise.turned(w.line)]
        lines = {w.line for w in warned}
        silent = [r for r in self._exercise.silent if not r.lines & lines]
        return (*unseen, *self._read_at(r for r in silent if not self._exercise.has_turned(r)))

    @staticmethod
    def _read_at(reads: Iterable[Read]) -> tuple[str, ...]:
        """Where the original reads values of its inputs and torch does not warn of it."""
        return tuple(dict.fromkeys(f"{read.place}: reading a value" for read in reads))
