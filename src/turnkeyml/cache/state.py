"""The state of a build: what it was made of, how far it came, what it left behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnkeyml import environment
from turnkeyml.cache.files import read_yaml, write_yaml
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.errors import TurnkeyError
from turnkeyml.nouns import (
    BuildStatus,
    DamagedRecord,
    ReferenceRecord,
    StageRecord,
    Verification,
    from_dict,
    to_dict,
)

__all__ = ["BuildState", "load_state", "read_state", "write_state"]


@dataclass(frozen=True)
class BuildState:
    """Everything that must be known to use a build again, without the script and without torch.

    ``key`` says what the build depends on; a build whose key differs is stale. Paths are relative
    to the build's folder, so that the folder can be moved.
    """

    build_name: str
    build_status: BuildStatus
    turnkey_version: str
    model_type: str
    hash: str
    model_hash: str
    key: dict[str, str]
    config: dict[str, Any]
    input_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    input_dtypes: dict[str, str] = field(default_factory=dict)
    stages: tuple[StageRecord, ...] = ()
    artifacts: dict[str, str] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    """Every file of the build with its size, to see whether it is still whole."""
    facts: dict[str, Any] = field(default_factory=dict)
    verification: Verification | None = None
    reference: ReferenceRecord | None = None
    """Which outputs of the original the build holds."""
    failure: dict[str, str] | None = None

    @property
    def succeeded(self) -> bool:
        return self.build_status is BuildStatus.SUCCESSFUL

    @property
    def precisions(self) -> list[str]:
        """Of the ONNX files that the build has, its last one first."""
        own = str(self.facts.get("precision", ""))
        others = [kind.removeprefix("onnx_") for kind in self.artifacts if kind != "onnx"]
        return [own, *others] if "onnx" in self.artifacts and own else []

    @property
    def sequence(self) -> list[str]:
        return list(self.config.get("sequence", []))


def write_state(folder: BuildFolder, state: BuildState) -> None:
    """Replace the state of a build."""
    write_yaml(folder.path / f"{folder.name}_state.yaml", to_dict(state))


def read_state(folder: BuildFolder) -> BuildState | None:
    """The state of a build, or None where there is none that can be understood."""
    data = read_yaml(folder.state)
    try:
        return from_dict(BuildState, data)
    except DamagedRecord:
        return None


def load_state(build_name: str, cache_dir: str | Path | None = None) -> BuildState:
    """The state of a finished build, for use from Python."""
    folder = BuildFolder(Path(cache_dir or environment.cache_dir()).expanduser(), build_name)
    state = read_state(folder)
    if state is None:
        raise TurnkeyError(f"There is no build {build_name!r} in the cache {folder.cache_dir}.")
    return state
