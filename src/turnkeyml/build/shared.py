"""One build for several lengths: a file with a dynamic length serves other invocations too."""

from __future__ import annotations

from dataclasses import dataclass

from turnkeyml.build.check import check_onnx
from turnkeyml.build.stage import ONNX, Workbench
from turnkeyml.cache import BuildFolder, BuildState, link_or_copy
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import with_frozen

SHARE = "share_build"
"""The name under which records and logs have it in the place of a stage."""


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

    def serve(self, bench: Workbench) -> Verification:
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
