"""What the original computes, which every build is measured by, and how a build keeps it.

A kept reference lets any runtime on any machine be judged without the original.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from turnkeyml.cache import BuildFolder, checksum, load_arrays, save_arrays, widened
from turnkeyml.nouns import OperationCount, OutputOperator, ReferenceRecord, Verdict, Verification
from turnkeyml.verify.magnitudes import places_of, real, root_mean_square
from turnkeyml.verify.rounding import NO_FLOOR, Floor, floor_of

Outputs = dict[str, np.ndarray]

Compute = Callable[[str], "Outputs | None"]

Load = Callable[[Path], Outputs]


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


def _all_close(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype.kind in "fc":
        numbers = real(a)
        least = 1e-5 * root_mean_square(places_of(numbers).regular_of(numbers))
        return bool(np.allclose(a, b, rtol=1e-4, atol=least, equal_nan=True))
    return bool(np.array_equal(a, b))


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


def reach_in(precision: str) -> str:
    """The name under which a reference knows where rounding may take its outputs."""
    return f"{precision}_reach"


def save_inputs(folder: BuildFolder, reference: Reference) -> None:
    """Keep the recorded inputs and what the original computes on them."""
    save_arrays(folder.inputs, reference.inputs)
    save_arrays(folder.outputs, reference.outputs)


def save_reference(
    folder: BuildFolder,
    reference: Reference,
    verification: Verification,
    verified: Outputs | None,
) -> ReferenceRecord:
    """Keep what else the verdict depended on; what is needed to read it again.

    ``verified`` is what a build computes that was verified subgraph by subgraph.
    """
    for precision, outputs in reference.others.items():
        save_arrays(folder.outputs_in(precision), outputs)
    for number, repeat in enumerate(reference.repeats, start=1):
        save_arrays(folder.outputs_again(number), repeat)
    for number, held in enumerate(reference.all_held_out, start=1):
        save_arrays(folder.held_out_inputs(number), held.inputs)
        save_arrays(folder.held_out_outputs(number), held.outputs)
        for precision, outputs in held.others.items():
            save_arrays(folder.held_out_outputs(number, precision), outputs)
        if held.verified is not None:
            save_arrays(folder.held_out_verified(number), held.verified)
    if verified is not None:
        save_arrays(folder.outputs_verified, verified)
    return ReferenceRecord(
        precision=reference.precision,
        deterministic=reference.deterministic,
        repeats=len(reference.repeats),
        others=tuple(reference.others),
        sha256={path.name: checksum([path]) for path in folder.recorded()},
        held_out=len(reference.held_out),
        held_out_others=tuple(tuple(held.others) for held in reference.all_held_out),
        held_out_other_course=tuple(held.other_course for held in reference.held_out),
        padded=reference.padded is not None,
        specialised=verification.verdict is Verdict.SPECIALISED,
        frozen=verification.frozen,
        verified=verified is not None,
        held_out_verified=bool(reference.held_out) and reference.is_verified_on_others,
        stable_weights=verification.stable_weights,
        count=reference.count,
        operators=reference.operators,
    )


def is_intact(folder: BuildFolder, record: ReferenceRecord | None) -> bool:
    """Whether what a build was verified by is what it was then, as far as that is known."""
    known = record.sha256 if record else {}
    return all(checksum([path]) == known.get(path.name, "") for path in folder.recorded() if known)


def load_reference(folder: BuildFolder, record: ReferenceRecord) -> Reference:
    """What a build was verified by, without the original."""
    load = _loader(record)
    sets = tuple(_load_held_out(folder, record))
    found = Reference(
        load(folder.inputs),
        load(folder.outputs),
        precision=record.precision,
        deterministic=record.deterministic,
        repeats=tuple(load(folder.outputs_again(n + 1)) for n in range(record.repeats)),
        compute=_saved(record.others, folder.outputs_in, load),
        reach=_saved_reach(record.others, folder.outputs_in, load),
        at_hand=record.others,
        verified=load(folder.outputs_verified) if record.verified else None,
        held_out=sets[: record.held_out],
        padded=sets[-1] if record.padded else None,
    )
    found.count = record.count
    found.know(record.operators)
    return found


def _load_held_out(folder: BuildFolder, record: ReferenceRecord) -> Iterator[Reference]:
    """The held-out sets, the one with padded masks last."""
    load = _loader(record)
    others = itertools.chain(record.held_out_others, itertools.repeat(()))
    decided = itertools.chain(record.held_out_other_course, itertools.repeat(False))
    numbers = range(1, record.held_out + record.padded + 1)
    for number, known, other in zip(numbers, others, decided, strict=False):
        verified = record.held_out_verified and number <= record.held_out
        path = functools.partial(folder.held_out_outputs, number)
        yield Reference(
            load(folder.held_out_inputs(number)),
            load(folder.held_out_outputs(number)),
            precision=record.precision,
            compute=_saved(known, path, load),
            reach=_saved_reach(known, path, load),
            at_hand=known,
            verified=load(folder.held_out_verified(number)) if verified else None,
            other_course=other,
        )


def _loader(record: ReferenceRecord) -> Load:
    """Reads arrays that are those of the record; an error in words if they were changed."""
    return lambda path: load_arrays(path, record.sha256.get(path.name))


def _saved(known: tuple[str, ...], path: Callable[[str], Path], load: Load) -> Compute:
    """Reads what the original computed in some other precisions."""
    return lambda precision: load(path(precision)) if precision in known else None


def _saved_reach(known: tuple[str, ...], path: Callable[[str], Path], load: Load) -> Compute:
    """Reads where larger roundings took the original."""
    saved = _saved(known, path, load)
    return lambda precision: saved(reach_in(precision))
