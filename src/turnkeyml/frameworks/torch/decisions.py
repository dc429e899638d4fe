"""What an exporter froze of the decisions of a model, and whether that matters."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

from turnkeyml.build.stage import Workbench
from turnkeyml.frameworks.torch.exercise import Exercise, Line, exercise
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify.reference import Reference

__all__ = ["Decisions", "Warned", "warnings_of"]


@dataclass(frozen=True)
class Warned:
    """A line where torch's tracer warns that it took a value as a constant.

    It warns of shapes as well, which are the same in every run of a build.
    """

    line: Line
    what: str

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
    """The decisions of a model; it is watched only if something asks for them."""

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

    def reference(self, warned: list[Warned]) -> Reference:
        """What an export is verified by: on more inputs if it may have frozen something."""
        reference = self._bench.reference
        if not warned or not self._exercise.alike:
            return reference
        more = copy.copy(reference)
        more.held_out = (*reference.held_out, *self._exercise.alike)
        return more

    def frozen(self, warned: list[Warned], found: Verification) -> tuple[str, ...]:
        """Where values are frozen: all if that made it specialised, else what nothing exercised."""
        if found.verdict is Verdict.SPECIALISED:
            relevant = [w for w in warned if self._exercise.concerns(w.line)]
            return tuple(map(str, relevant or warned)) or self._read_at()
        if not found.trusted:
            return ()
        unseen = [w for w in warned if self._exercise.concerns(w.line)]
        return tuple(str(w) for w in unseen if not self._exercise.turned(w.line))

    def _read_at(self) -> tuple[str, ...]:
        """Where the original reads values of its inputs, if torch does not warn of it."""
        recorded = self._exercise.recorded
        return tuple(f"{place}: reading a value" for place in (recorded.reads if recorded else ()))
