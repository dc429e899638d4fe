"""The state of a build: what it was made of, how far it came, what it left behind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from turnkeyml import environment
from turnkeyml.cache.files import DamagedFile, load_yaml, make_way, write_yaml
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.errors import TurnkeyError, describe
from turnkeyml.nouns import (
    BuildStatus,
    DamagedRecord,
    ReferenceRecord,
    StageRecord,
    Verification,
    from_dict,
    to_dict,
)


@dataclass(frozen=True)
class PhaseEnd:
    """How a build or a measurement ended that did not come to its own end."""

    status: BuildStatus
    message: str
    stage: str = ""
    """The stage of the build that was running; empty if none was, or it is not known."""
    says_nothing: bool = False
    """Whether it says nothing about the model, as an interruption by the user does: then it does
    not replace a measurement that succeeded."""

    @classmethod
    def of(cls, error: BaseException) -> PhaseEnd:
        """The end of what an exception leaves behind."""
        if isinstance(error, (Exception, SystemExit)):
            told = str(error) if isinstance(error, TurnkeyError) else describe(error)
            return cls(BuildStatus.FAILED, told)
        return cls(BuildStatus.KILLED, "interrupted (Ctrl-C or SIGTERM)", says_nothing=True)


ABANDONED = PhaseEnd(
    BuildStatus.KILLED,
    "interrupted: the process that worked on it was killed together with its run",
    says_nothing=True,
)
"""The end of a phase that is open in the records of a build, although no process holds its lock.

Processes record every other end themselves, or their parents do.
"""


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
    artifact_files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Each artifact with the data files that belong to it."""
    files: dict[str, int] = field(default_factory=dict)
    """Every file of the build with its size, to see whether it is still whole."""
    facts: dict[str, Any] = field(default_factory=dict)
    verification: Verification | None = None
    reference: ReferenceRecord | None = None
    """Which outputs of the original the build holds."""
    failure: dict[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse what somebody else wrote: paths that lead out of the folder, other types."""
        for name in (*self.artifacts.values(), *self.files):
            if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
                raise ValueError(f"{name!r} is not inside of the build")
        checksums, shares = self.facts.get("sha256", {}), self.facts.get("folded", {})
        words = [self.facts.get("precision", ""), *self.sequence]
        if not isinstance(checksums, dict) or not all(
            isinstance(word, str) for word in (*words, *checksums.values())
        ):
            raise ValueError("the facts or the sequence of the build are not what they should be")
        if not isinstance(shares, dict) or not all(
            isinstance(share, float) for share in shares.values()
        ):
            raise ValueError("the shares of the build that depend on no input are not numbers")

    @property
    def succeeded(self) -> bool:
        return self.build_status is BuildStatus.SUCCESSFUL

    @property
    def obstacle(self) -> str | None:
        """Why the build cannot be used, as a clause; None if it can."""
        if self.succeeded:
            return None
        if self.build_status is BuildStatus.RUNNING:
            return "the build is still running"
        message = " ".join((self.failure or {}).get("message", "").split()).rstrip(".")
        return f"the build failed ({message or self.build_status})"

    def ended(self, end: PhaseEnd) -> BuildState:
        """The state of a running build after its process has ended."""
        failure = {"stage": end.stage, "message": end.message, "log": ""}
        return replace(self, build_status=end.status, failure=failure)

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
    path = folder.path / f"{folder.name}_state.yaml"
    make_way(path)
    write_yaml(path, to_dict(state))


def read_state(folder: BuildFolder) -> BuildState | None:
    """The state of a build, or None where there is none that can be understood.

    A build that runs according to its file, but that no process holds, was killed.
    """
    state = state_as_written(folder)
    return None if state is None else _settled(folder, state)


def state_as_written(folder: BuildFolder) -> BuildState | None:
    """The same as its file has it; for processes that hold the build."""
    try:
        return _load(folder)
    except (FileNotFoundError, DamagedFile):
        return None


def _settled(folder: BuildFolder, state: BuildState) -> BuildState:
    if state.build_status is not BuildStatus.RUNNING or folder.is_held:
        return state
    again = state_as_written(folder) or state  # it may have finished before we asked for the lock
    return again.ended(ABANDONED) if again.build_status is BuildStatus.RUNNING else again


def state_damage(folder: BuildFolder) -> str | None:
    """Why the state of a build cannot be used, in a sentence; None where it can, or is missing."""
    try:
        _load(folder)
    except FileNotFoundError:
        return None
    except DamagedFile as error:
        return f"The state of build {folder.name} cannot be read: {error.why}."
    return None


def _load(folder: BuildFolder) -> BuildState:
    path = folder.state
    data = load_yaml(path)
    try:
        return from_dict(BuildState, data)
    except DamagedRecord as error:
        raise DamagedFile(path, str(error)) from None


def load_state(build_name: str, cache_dir: str | Path | None = None) -> BuildState:
    """The state of a finished build, for use from Python."""
    folder = BuildFolder(Path(cache_dir or environment.cache_dir()).expanduser(), build_name)
    try:
        return _settled(folder, _load(folder))
    except FileNotFoundError:
        raise TurnkeyError(
            f"There is no build {build_name!r} in the cache {folder.cache_dir}."
        ) from None
