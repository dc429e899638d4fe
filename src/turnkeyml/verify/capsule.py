"""What a build holds of its original, so that any runtime on any machine can be judged by it."""

from __future__ import annotations

from turnkeyml.cache.arrays import load_arrays, save_arrays
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.nouns import ReferenceRecord
from turnkeyml.verify.reference import Outputs, Reference

__all__ = ["load_reference", "save_inputs", "save_reference"]


def save_inputs(folder: BuildFolder, reference: Reference) -> None:
    """Keep the recorded inputs and what the original computes on them."""
    save_arrays(folder.inputs, reference.inputs)
    save_arrays(folder.outputs, reference.outputs)


def save_reference(
    folder: BuildFolder, reference: Reference, verified: Outputs | None
) -> ReferenceRecord:
    """Keep what else the verdict depended on; what is needed to read it again.

    ``verified`` is what a build computes that was verified subgraph by subgraph.
    """
    for precision, outputs in reference.others.items():
        save_arrays(folder.outputs_in(precision), outputs)
    if verified is not None:
        save_arrays(folder.outputs_verified, verified)
    return ReferenceRecord(
        precision=reference.precision,
        deterministic=reference.deterministic,
        others=tuple(reference.others),
        verified=verified is not None,
    )


def load_reference(folder: BuildFolder, record: ReferenceRecord) -> Reference:
    """What a build was verified by, without the original."""

    def saved(precision: str) -> Outputs | None:
        known = precision in record.others
        return load_arrays(folder.outputs_in(precision)) if known else None

    return Reference(
        load_arrays(folder.inputs),
        load_arrays(folder.outputs),
        precision=record.precision,
        deterministic=record.deterministic,
        compute=saved,
        verified=load_arrays(folder.outputs_verified) if record.verified else None,
    )
