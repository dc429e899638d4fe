"""What the original model computes on the recorded inputs: the measure of every build."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.nouns import OperationCount, OutputOperator
from turnkeyml.verify.floor import NO_FLOOR, Floor, floor_of
from turnkeyml.verify.scale import root_mean_square
from turnkeyml.verify.values import places_of, real

Outputs = dict[str, np.ndarray]

Compute = Callable[[str], "Outputs | None"]


@dataclass(frozen=True)
class InnerResult:
    """What a submodule or a function of the original returned."""

    module: str
    """Its name in the model."""
    array: np.ndarray
    scores: tuple[np.ndarray, ...] = ()
    """What it was decided by, if it is a decision by floating-point numbers and that is known."""


Inner = Callable[[], list[InnerResult]]


class Reference:
    """The golden outputs, and what the original gives in other precisions.

    ``compute`` runs the original in another precision (``fp64``, ``fp32``, ``fp16`` or ``bf16``),
    or returns None where that cannot be done. It is asked once per precision, and only if a
    verdict depends on the answer. ``reach`` runs it with larger roundings of a precision.
    ``at_hand``: the precisions for which that takes no computation.
    """

    def __init__(
        self,
        inputs: Outputs,
        outputs: Outputs,
        *,
        precision: str = "fp32",
        deterministic: bool = True,
        repeats: tuple[Outputs, ...] = (),
        compute: Compute | None = None,
        reach: Compute | None = None,
        at_hand: tuple[str, ...] = (),
        verified: Outputs | None = None,
        held_out: tuple[Reference, ...] = (),
        padded: Reference | None = None,
        costly: bool = False,
        inner: Inner | None = None,
        other_course: bool = False,
        operators: tuple[OutputOperator, ...] = (),
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.precision = precision
        """What the original computes in."""
        self.deterministic = deterministic
        self.repeats = repeats
        """What more runs of an original gave that is not deterministic."""
        self.verified = verified
        """What a build computes whose subgraphs were all verified, although as a whole it amplifies
        rounding too much to be compared with the original."""
        self.held_out = held_out
        """What the original computes on inputs that no exporter has seen."""
        self.padded = padded
        """What it computes where masks are padded on the left; None if there are no masks."""
        self.costly = costly
        """Whether another precision takes so much memory that it is computed only if the looser
        tolerance fails."""
        self.inner = inner
        """Runs the original again and returns the results of its submodules; None for a file."""
        self.other_course = other_course
        """Whether the original is known to decide something else on these inputs than on the
        recorded ones."""
        self.operators = operators
        """The operator that each output is the result of; empty if no graph tells."""
        self.count: OperationCount | None = None
        """What one run of the original does, if that was counted."""
        self.on: Callable[[Outputs], Reference] | None = None
        """Runs the original on other inputs, where it can still be run as it was."""
        self._compute = compute
        self._reach = reach
        self._at_hand = at_hand
        self._others: dict[str, Outputs | None] = {}

    def in_precision(self, precision: str) -> Outputs | None:
        """The outputs of the original computed in a precision, where that can be done."""
        if precision == self.precision:
            return self.outputs
        if precision not in self._others:
            self._others[precision] = self._compute(precision) if self._compute else None
        return self._others[precision]

    def reach(self, precision: str) -> Outputs | None:
        """Where larger roundings of a precision take each number; None if it is not known."""
        name = reach_in(precision)
        if name not in self._others:
            self._others[name] = self._reach(precision) if self._reach else None
        return self._others[name]

    def know(self, operators: tuple[OutputOperator, ...]) -> None:
        """Keep what operators the outputs are the results of, here and on other inputs."""
        for known in (self, *self.all_held_out):
            known.operators = operators

    @property
    def floors(self) -> list[Floor]:
        """How exact each output can be, by its operator or else by its values."""
        golden = widened(self.outputs)
        known = self.operators if len(self.operators) == len(golden) else ()
        named = itertools.chain(known, itertools.repeat(OutputOperator()))
        return [
            floor_of(of.name, of.scale, array) if array.dtype.kind == "f" else NO_FLOOR
            for of, array in zip(named, golden, strict=False)
        ]

    @property
    def is_informative(self) -> bool:
        """Whether there is anything to compare: not where all is empty, NaN or saturated."""
        return is_informative(self.outputs) and not self.is_saturated

    @property
    def is_saturated(self) -> bool:
        """Whether all its numbers are at the end of what their operators return, so that another
        file may return them as well."""
        pairs = zip(self.floors, widened(self.outputs), strict=True)
        found = [floor.hides(array) for floor, array in pairs if array.size]
        return bool(found) and all(found)

    @property
    def all_held_out(self) -> tuple[Reference, ...]:
        """The held-out sets, that with padded masks included."""
        return self.held_out if self.padded is None else (*self.held_out, self.padded)

    def without_original(self, outputs: Outputs) -> Reference:
        """The same with some outputs of a build in the place of the original's, which cannot be run
        any more."""
        held_out = tuple(
            Reference(
                held.inputs,
                held.outputs,
                other_course=held.other_course,
                operators=self.operators,
            )
            for held in self.held_out
        )
        found = Reference(
            self.inputs,
            outputs,
            deterministic=self.deterministic,
            held_out=held_out,
            operators=self.operators,
        )
        found.count = self.count
        return found

    def without_other_courses(self) -> Reference:
        """The same without the held-out sets on which the original decides something else."""
        if not any(held.other_course for held in self.held_out):
            return self
        fewer = copy.copy(self)
        fewer.held_out = tuple(held for held in self.held_out if not held.other_course)
        return fewer

    @property
    def is_verified_on_others(self) -> bool:
        """Whether it is known what a verified build computes on all held-out inputs."""
        return all(held.verified is not None for held in self.held_out)

    @property
    def known(self) -> set[str]:
        """The precisions in which its outputs are known so far, or are kept in the build."""
        return {self.precision, *self._at_hand, *self.others}

    @property
    def others(self) -> dict[str, Outputs]:
        """What was computed in other precisions so far."""
        return {name: found for name, found in self._others.items() if found is not None}


def agree(first: Outputs, second: Outputs) -> bool:
    """Whether two runs agree as well as two runs of one computation do."""
    pairs = zip(widened(first), widened(second), strict=False)
    return len(first) == len(second) and all(
        a.shape == b.shape and _all_close(a, b) for a, b in pairs
    )


def is_informative(outputs: Outputs) -> bool:
    """Whether there is anything to compare: empty outputs, and NaNs alone, say nothing.

    Nor does a zero beside them, which counts what was found.
    """
    arrays = widened(outputs)
    floats = [array for array in arrays if array.dtype.kind in "fc"]
    if any(np.isfinite(array).any() for array in floats):
        return True
    others = [array for array in arrays if array.dtype.kind not in "fc" and array.size]
    return any(array.dtype.kind not in "iu" or array.any() or not floats for array in others)


def _all_close(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype.kind in "fc":
        numbers = real(a)
        least = 1e-5 * root_mean_square(places_of(numbers).regular_of(numbers))
        return bool(np.allclose(a, b, rtol=1e-4, atol=least, equal_nan=True))
    return bool(np.array_equal(a, b))


def reach_in(precision: str) -> str:
    """The name under which a reference knows where rounding may take its outputs."""
    return f"{precision}_reach"
