"""Which sequence a build needs, and whether the one in the cache serves.

The run, the dry run and ``explain`` ask here, so that they cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.build.sequences import SEQUENCES, buildable_precisions, sequence_with, stages_of
from turnkeyml.cache import BuildFolder, BuildState
from turnkeyml.nouns import BuildStatus, Plan
from turnkeyml.verify import is_intact


@dataclass(frozen=True)
class Wanted:
    """The sequence that a build is made with, and what of it is measured."""

    sequence: str
    precisions: tuple[str, ...] = ()
    """Of the files to measure; empty for those that the plan names, or for the last file."""


def wanted_build(plan: Plan, default: str, cached: BuildState | None) -> Wanted:
    """The sequence that a plan asks for; ``default`` if it names none.

    A build that has more serves a request for less: the precisions of the cached build are added to
    those of the plan, and where the plan names none, the build in the cache stays if it has the
    file that the default sequence would make.
    """
    if plan.sequence is not None:
        return Wanted(plan.sequence)
    kept = cached.precisions if cached is not None and cached.succeeded else []
    if plan.precisions:
        known = set(kept).intersection(buildable_precisions())
        return Wanted(_sequence_with_all(set(plan.precisions), known))
    measured = SEQUENCES[default].precisions[:1] if default in SEQUENCES else ()
    larger = _name_of(cached) if cached is not None and measured and measured[0] in kept else None
    if larger is None or larger == default or measured[0] not in SEQUENCES[larger].precisions:
        return Wanted(default)
    return Wanted(larger, measured)


def _sequence_with_all(wanted: set[str], known: set[str]) -> str:
    """The sequence that builds what is wanted, and what is known too if one builds both."""
    together = wanted | known
    if any(together <= set(found.precisions) for found in SEQUENCES.values()):
        return sequence_with(together)
    return sequence_with(wanted)


def _name_of(cached: BuildState) -> str | None:
    """The named sequence that a build was made with; None if it was another one."""
    stages = tuple(cached.sequence[1:-1])
    return next((name for name, found in SEQUENCES.items() if found.stages == stages), None)


def key_of_sequence(sequence: str, cached: BuildState) -> dict[str, str]:
    """What the key of a build says of a sequence, as far as that is known without the model."""
    ends = cached.sequence[:1], cached.sequence[-1:]
    return {"sequence": " ".join([*ends[0], *stages_of(sequence), *ends[1]])}


def why_rebuild(
    cached: BuildState, key: dict[str, str], folder: BuildFolder, *, rebuild: str = "if_needed"
) -> str | None:
    """Why a cached build cannot be reused, as the end of a sentence; None if it can.

    ``key`` is what it depends on, or as much of that as is known.
    """
    if rebuild == "always":
        return "--rebuild always"
    changed = [part for part in key if cached.key.get(part) != key[part]]
    if changed:
        return f"{' and '.join(changed)} changed"
    if cached.build_status in (BuildStatus.RUNNING, BuildStatus.KILLED):
        return "it was interrupted"
    if cached.build_status is BuildStatus.TIMEOUT:
        return "it had reached its timeout"
    if not cached.succeeded:
        return "it had failed"
    if folder.file_sizes() != cached.files or not is_intact(folder, cached.reference):
        return "its files had been removed or changed"
    return None
