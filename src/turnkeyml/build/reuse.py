"""Whether a build in the cache serves: the one of this model, or the one of another length.

The run, the dry run and ``explain`` ask here which sequence is needed and whether the cached build
serves, so that they cannot disagree. A file with a dynamic length serves other lengths too.
"""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.build.check import check_onnx
from turnkeyml.build.sequences import SEQUENCES, buildable_precisions, sequence_with, stages_of
from turnkeyml.build.stage import ONNX, BuildContext
from turnkeyml.cache import BuildFolder, BuildState, link_or_copy
from turnkeyml.nouns import BuildStatus, Plan, Verdict, Verification
from turnkeyml.verify import is_intact, with_frozen

SHARE = "share_build"
"""The name under which records and logs have it in the place of a stage."""


@dataclass(frozen=True)
class WantedBuild:
    """The sequence that a build is made with, and what of it is measured."""

    sequence: str
    precisions: tuple[str, ...] = ()
    """Of the files to measure; empty for those that the plan names, or for the last file."""


def wanted_build(plan: Plan, default: str, cached: BuildState | None) -> WantedBuild:
    """The sequence that a plan asks for; ``default`` if it names none.

    A build that has more serves a request for less: the precisions of the cached build are added to
    those of the plan, and where the plan names none, the build in the cache stays if it has the
    file that the default sequence would make.
    """
    if plan.sequence is not None:
        return WantedBuild(plan.sequence)
    kept = cached.precisions if cached is not None and cached.succeeded else []
    if plan.precisions:
        known = set(kept).intersection(buildable_precisions())
        return WantedBuild(_sequence_with_all(set(plan.precisions), known))
    measured = SEQUENCES[default].precisions[:1] if default in SEQUENCES else ()
    larger = _name_of(cached) if cached is not None and measured and measured[0] in kept else None
    if larger is None or larger == default or measured[0] not in SEQUENCES[larger].precisions:
        return WantedBuild(default)
    return WantedBuild(larger, measured)


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


@dataclass(frozen=True)
class SharedBuild:
    """A finished build whose files may serve another length of the same model."""

    folder: BuildFolder
    state: BuildState

    @classmethod
    def of(cls, folder: BuildFolder, state: BuildState) -> SharedBuild | None:
        """A build, if its length is dynamic and its files are there."""
        files = [folder.path / file for files in state.artifact_files.values() for file in files]
        dynamic = state.facts.get("dynamic_length") and ONNX in state.artifacts
        return cls(folder, state) if dynamic and all(f.is_file() for f in files) else None

    def serve(self, bench: BuildContext) -> Verification:
        """Link the files into another build, and verify the last of them by its reference."""
        for files in self.state.artifact_files.values():
            for file in files:
                link_or_copy(self.folder.path / file, bench.folder.path / file)
        for kind, artifact in self.state.artifacts.items():
            bench.artifacts[kind] = bench.folder.path / artifact
        bench.facts.update(self.state.facts, shared_from=self.folder.name)
        found = check_onnx(
            str(bench.artifacts[ONNX]),
            bench.reference,
            str(self.state.facts["judged_in"]),
            bench.threads,
            may_specialise=self._specialised,
        )
        frozen = self._verification.frozen if self._verification else ()
        return with_frozen(found, frozen, specialised=self._specialised)

    def accepts(self, found: Verification) -> bool:
        """Whether the files are as good at the other length as at their own."""
        known = self._verification
        as_good = known is not None and found.verdict.rank <= known.verdict.rank
        return found.trusted or as_good

    @property
    def _verification(self) -> Verification | None:
        return self.state.verification

    @property
    def _specialised(self) -> bool:
        known = self._verification
        return known is not None and known.verdict is Verdict.SPECIALISED
