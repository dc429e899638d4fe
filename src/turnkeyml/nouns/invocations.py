"""The invocations in an input, and the results."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnkeyml.nouns.evaluations import (
    Evaluation,
    Generation,
    MeasuredPerformance,
    RaceResult,
)
from turnkeyml.nouns.plain import Word
from turnkeyml.nouns.tasks import Input
from turnkeyml.nouns.verdicts import Verdict, Verification

USAGE_ERROR = 2
"""The exit status of argparse and others for arguments that a script does not accept."""


class BuildStatus(Word):
    """The status of a build."""

    RUNNING = "build_running"
    SUCCESSFUL = "successful_build"
    FAILED = "failed_build"
    TIMEOUT = "timeout"
    """Killed at ``--timeout``, or at the time limit of a scheduler."""
    KILLED = "killed"
    """Ended by a signal, a memory limit, an interruption or the end of the whole run."""

    @property
    def failed(self) -> bool:
        """Whether the build ended, and not with a build that can be used."""
        return self not in (BuildStatus.RUNNING, BuildStatus.SUCCESSFUL)


class Phase(Word):
    """What an invocation is for a decoder with a key-value cache."""

    PREFILL = "prefill"
    """Reads the prompt and gives the first token."""
    DECODE = "decode"
    """Gives one more token from the cache and the token before."""


@dataclass(frozen=True)
class Steps:
    """The decode steps that an invocation stands for; they differ in the length of the cache."""

    group: str
    """The hash of the first step, which all measured steps of a group share."""
    length: int
    """The length of the cache in this invocation."""
    count: int
    """How many lengths the script used."""
    shortest: int
    longest: int
    executed: int
    """How often the script called any of them."""
    seconds: float


@dataclass(frozen=True)
class InvocationRecord:
    """A model called with inputs of one set of shapes and dtypes, as the listing shows it."""

    name: str
    model_type: str
    class_name: str
    class_repr: str
    """Empty if the model is not an instance of a class, such as a file."""
    file: str
    line: int
    parameters: int
    parameter_bytes: int
    model_hash: str
    hash: str
    parent_hash: str | None
    depth: int
    shapes: dict[str, tuple[int, ...]]
    dtypes: dict[str, str]
    build_name: str
    executed: int = 0
    seconds: float = 0.0
    obstacle: str | None = None
    """Why this invocation cannot be built; None if it can."""
    remarks: tuple[str, ...] = ()
    method: str = ""
    """The method through which the script enters the model; empty if it calls the model itself."""
    arguments: dict[str, str] = field(default_factory=dict)
    """The arguments that are neither tensors nor equal to their defaults, as text."""
    phase: Phase | None = None
    tokens: int = 0
    """How many tokens a run gives; 0 if it is not for a decoder."""
    steps: Steps | None = None
    """The decode steps that it stands for; None if it stands for itself alone."""
    recorded_call: int = 1
    """The call whose inputs were recorded: the first, unless that had constant inputs."""


@dataclass(frozen=True)
class ScriptOutcome:
    """How a script ended."""

    exit_code: int = 0
    error: str | None = None
    traceback: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and self.error is None

    @property
    def complaint(self) -> str | None:
        """What went wrong in a script, and what to do; None if nothing did."""
        if self.error:
            return f"The script failed: {self.error}"
        if self.exit_code == USAGE_ERROR:
            return (
                "The script exited with code 2, as scripts do that miss arguments or do not know "
                'them; --script-args passes some: --script-args "--name value".'
            )
        return f"The script exited with code {self.exit_code}." if self.exit_code else None


@dataclass(frozen=True)
class StageRecord:
    """The time and memory that one stage of a build took."""

    name: str
    seconds: float
    peak_memory_bytes: int | None
    succeeded: bool = True


@dataclass(frozen=True)
class InvocationResult:
    """The result of one invocation: its build and its evaluations."""

    invocation: InvocationRecord
    selected: bool = True
    skipped: str | None = None
    build_status: BuildStatus | None = None
    build_dir: str | None = None
    """The folder of its build; None if there is none."""
    reused: bool = False
    failure: str | None = None
    traceback: str | None = None
    verification: Verification | None = None
    """The verdict on the build; each evaluation has its own."""
    evaluations: tuple[Evaluation, ...] = ()
    race: RaceResult | None = None
    remarks: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether its build or one of its measurements failed."""
        return self.failure is not None or not all(e.ok for e in self.evaluations)

    @property
    def verifications(self) -> tuple[Verification | None, ...]:
        """That of each evaluation, and that of the build if nothing has measured its files."""
        measured = [e for e in self.evaluations if e.ok]
        found = [e.verification for e in measured]
        if self.verification is not None and not any(e.artifact for e in measured):
            found.append(self.verification)
        return tuple(found)

    @property
    def is_mismatch(self) -> bool:
        """Whether something that was built or measured computes something else."""
        return any(one and one.verdict is Verdict.MISMATCH for one in self.verifications)

    @property
    def ok(self) -> bool:
        """Whether nothing failed and nothing is a mismatch: the exit status would be 0."""
        return not (self.failed or self.is_mismatch)


WAITING = "waiting"
"""The phase of an input in which it waits for its turn to measure, or for a build."""


@dataclass(frozen=True)
class InputResult:
    """The result of one input: how its script ended, and one result per invocation."""

    input: Input
    script: ScriptOutcome = ScriptOutcome()
    invocations: tuple[InvocationResult, ...] = ()
    failure: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    """The seconds that the script, the builds and the measurements took, by phase, and apart from
    them those of waiting for other inputs and processes."""
    log: str | None = None
    """The path of the output of the input, if it was kept."""
    generations: tuple[Generation, ...] = ()
    """How fast its decoders generate."""

    @property
    def failed(self) -> bool:
        """Whether the input, its script, a build or a measurement failed."""
        lost = self.failure is not None or not self.script.ok
        return lost or any(one.failed for one in self.invocations)

    @property
    def is_mismatch(self) -> bool:
        """Whether something that was built or measured computes something else."""
        return any(one.is_mismatch for one in self.invocations)

    @property
    def ok(self) -> bool:
        """Whether nothing failed and nothing is a mismatch: the exit status would be 0."""
        return not (self.failed or self.is_mismatch)

    @property
    def performances(self) -> list[MeasuredPerformance]:
        """Every successful measurement, in order."""
        found = [e.measured_performance() for i in self.invocations for e in i.evaluations]
        return [p for p in found if p is not None]
