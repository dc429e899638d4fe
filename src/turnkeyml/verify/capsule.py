"""What a build holds of its original, so that any runtime on any machine can be judged by it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

from turnkeyml.cache import BuildFolder, checksum, load_arrays, save_arrays
from turnkeyml.nouns import ReferenceRecord, Verdict, Verification
from turnkeyml.verify.reference import Compute, Outputs, Reference, reach_in

Load = Callable[[Path], Outputs]


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
