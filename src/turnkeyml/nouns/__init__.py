"""The nouns as data: what crosses from one process to another and what lies on disk.

Every class here turns into plain dicts, lists, numbers and strings with ``to_dict`` and comes back
with ``from_dict``, which ignores what a newer version may have added.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = [
    "Conditions",
    "Evaluation",
    "Flag",
    "Input",
    "InputResult",
    "InvocationRecord",
    "InvocationResult",
    "MeasuredPerformance",
    "Plan",
    "RaceResult",
    "RaceRow",
    "ScriptOutcome",
    "StageRecord",
    "Verification",
    "from_dict",
    "to_dict",
]

LATENCY_UNITS = "milliseconds (ms)"
THROUGHPUT_UNITS = "inferences per second (IPS)"

T = TypeVar("T")


@dataclass(frozen=True)
class Input:
    """One file to evaluate, with the hashes it is restricted to and its labels."""

    path: str
    targets: tuple[str, ...] = ()
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    malformed_labels: tuple[str, ...] = ()

    @property
    def is_onnx(self) -> bool:
        return self.path.lower().endswith(".onnx")

    @property
    def name(self) -> str:
        """The file's name, as it is listed."""
        return self.path.replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def stem(self) -> str:
        """The file's name without its ending, as builds are named after it."""
        return self.name.rsplit(".", 1)[0]

    def selects(self, record: InvocationRecord) -> bool:
        """Whether an invocation is wanted: by its own hash or by that of its model."""
        return not self.targets or bool({record.hash, record.model_hash} & set(self.targets))


@dataclass(frozen=True)
class Plan:
    """What is to be done with every invocation of every input."""

    cache_dir: str
    device: str = "x86"
    runtimes: tuple[str, ...] = ("ort",)
    iterations: int | None = None
    """Exactly so many timed runs; None for as many as ``rule`` finds necessary."""
    rule: str = "default"
    """``default``, ``quick`` or ``rigorous``."""
    threads: int | None = None
    """None for the physical cores that we may use."""
    precisions: tuple[str, ...] = ()
    """What the contestants of a race compute in; empty for what the build computes in."""
    baseline: str | None = None
    sequence: str | None = None
    onnx_opset: int | None = None
    rebuild: str = "if_needed"
    analyze_only: bool = False
    build_only: bool = False
    lean_cache: bool = False
    max_depth: int = 0
    script_args: tuple[str, ...] = ()
    parameters: dict[str, str] = field(default_factory=dict)
    """Those of the script arguments that belong to a sweep."""
    rt_args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class InvocationRecord:
    """A model called with inputs of one set of shapes and dtypes, as it is listed."""

    name: str
    model_type: str
    class_name: str
    class_repr: str
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
    """Why this invocation cannot be built, if it cannot."""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScriptOutcome:
    """How the script itself ended."""

    exit_code: int = 0
    error: str | None = None
    traceback: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and self.error is None


@dataclass(frozen=True)
class StageRecord:
    """What one stage of a build cost."""

    name: str
    seconds: float
    peak_memory_bytes: int | None
    succeeded: bool = True


@dataclass(frozen=True)
class Verification:
    """Whether a built model computes what the original computes, and by which rule."""

    verdict: str
    reason: str
    max_absolute_error: float | None = None
    max_relative_error: float | None = None
    cosine: float | None = None

    @property
    def trusted(self) -> bool:
        return self.verdict == "match"


@dataclass(frozen=True)
class Flag:
    """Something about a measurement that its reader should know, and what to do about it."""

    kind: str
    text: str


@dataclass(frozen=True)
class MeasuredPerformance:
    """The statistics of one measurement; latencies are in ``latency_units``."""

    mean_latency: float
    throughput: float
    """Runs over the wall time that they took."""
    iterations: int
    """Timed runs."""
    median_latency: float
    p90_latency: float | None
    latency_standard_deviation: float
    min_latency: float
    max_latency: float
    warmup_iterations: int
    median_low: float | None = None
    """The ends of the 95% interval of the median."""
    median_high: float | None = None
    p95_latency: float | None = None
    p99_latency: float | None = None
    samples: int = 0
    runs_per_sample: int = 1
    """More than one where single runs are too short to be timed one by one."""
    outliers: int = 0
    far_outliers: int = 0
    empty_call_latency: float | None = None
    """What a call of nothing costs in the same loop; it is part of the latencies."""
    timer_latency: float | None = None
    wall_seconds: float | None = None
    processes: int = 1
    rule: str = ""
    stopped: str = ""
    """Why no more was measured: precise, settled, cap or count."""
    flags: tuple[Flag, ...] = ()
    latency_units: str = LATENCY_UNITS
    throughput_units: str = THROUGHPUT_UNITS
    device: str = ""
    device_type: str = ""
    runtime: str = ""
    runtime_version: str = ""
    precision: str = ""
    threads: int = 0
    build_name: str = ""
    verification: Verification | None = None

    @property
    def relative_half_width(self) -> float | None:
        """Of the interval of the median; None where the samples are too few for one."""
        if self.median_low is None or self.median_high is None or not self.median_latency:
            return None
        return (self.median_high - self.median_low) / 2 / self.median_latency


@dataclass(frozen=True)
class Conditions:
    """What is needed to repeat a measurement, and what else went on while it was made."""

    turnkey_version: str
    python_version: str
    platform: str
    cpu: str
    usable_cores: int
    processors: str
    """The logical processors that the process was allowed to use."""
    threads: int
    cpu_quota: float | None = None
    governor: str | None = None
    frequency_mhz: float | None = None
    load_average: float | None = None
    other_cores: float | None = None
    """Processors that other programs kept busy meanwhile, on average."""
    worst_other_cores: float | None = None
    """The same for the half second in which it was most."""
    stolen_share: float | None = None
    throttled_seconds: float | None = None
    overheated: float | None = None
    libraries: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    """How the runtime was set up."""
    rule: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Evaluation:
    """One build on one device with one runtime: measured, or failed with the reason."""

    device_type: str
    device: str
    runtime: str
    runtime_version: str = ""
    precision: str = ""
    status: str = "successful"
    reason: str | None = None
    artifact: str | None = None
    artifact_sha256: str | None = None
    samples_file: str | None = None
    """The raw samples, by their path in the build folder."""
    parameters: dict[str, str] = field(default_factory=dict)
    """The script arguments of a sweep."""
    measured_at: str = ""
    load_seconds: float | None = None
    memory_before_bytes: int | None = None
    load_peak_memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    performance: MeasuredPerformance | None = None
    conditions: Conditions | None = None

    @property
    def ok(self) -> bool:
        return self.performance is not None

    @property
    def label(self) -> str:
        """What tells it from the other evaluations of its build."""
        return f"{self.runtime} {self.precision}".rstrip()


@dataclass(frozen=True)
class RaceRow:
    """One contestant in a race and how it compares with the baseline."""

    label: str
    evaluation: Evaluation
    speedup: float | None = None
    speedup_low: float | None = None
    speedup_high: float | None = None

    @property
    def may_win(self) -> bool:
        """Only what was measured and computes what the original computes."""
        performance = self.evaluation.performance
        verdict = performance.verification if performance else None
        return verdict is not None and verdict.verdict in ("match", "nondeterministic")


@dataclass(frozen=True)
class RaceResult:
    """Several runtimes and precisions on the same model and inputs, measured in turns."""

    baseline: str | None
    rounds: int
    rows: tuple[RaceRow, ...]
    winner: str | None = None
    verdict: str = ""


@dataclass(frozen=True)
class InvocationResult:
    """What became of one invocation."""

    invocation: InvocationRecord
    selected: bool = True
    skipped: str | None = None
    build_status: str | None = None
    build_dir: str | None = None
    reused: bool = False
    failure: str | None = None
    traceback: str | None = None
    verification: Verification | None = None
    evaluations: tuple[Evaluation, ...] = ()
    race: RaceResult | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.failure is None and all(e.ok for e in self.evaluations)


@dataclass(frozen=True)
class InputResult:
    """What became of one input: its script, and each invocation found in it."""

    input: Input
    script: ScriptOutcome = ScriptOutcome()
    invocations: tuple[InvocationResult, ...] = ()
    failure: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    """How long the script, the builds and the measurements took."""
    log: str | None = None
    """What the input printed, where that was kept."""

    @property
    def ok(self) -> bool:
        return self.failure is None and self.script.ok and all(i.ok for i in self.invocations)

    @property
    def performances(self) -> list[MeasuredPerformance]:
        """Every successful measurement, in order."""
        found = [e.performance for i in self.invocations for e in i.evaluations]
        return [p for p in found if p is not None]


def to_dict(record: Any) -> Any:
    """Plain data that JSON and YAML can hold."""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_dict(getattr(record, f.name)) for f in dataclasses.fields(record)}
    if isinstance(record, dict):
        return {str(k): to_dict(v) for k, v in record.items()}
    if isinstance(record, (list, tuple)):
        return [to_dict(v) for v in record]
    return record


def from_dict(kind: type[T], data: dict[str, Any]) -> T:
    """The record that ``to_dict`` wrote."""
    hints = typing.get_type_hints(kind)
    known = {
        f.name: _decode(hints[f.name], data[f.name])
        for f in dataclasses.fields(kind)  # type: ignore[arg-type]
        if f.name in data
    }
    return kind(**known)


def _decode(hint: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    optional = origin in (typing.Union, types.UnionType)
    if value is None:
        if hint is Any or (optional and type(None) in arguments):
            return None
        raise TypeError(f"nothing where there should be a {hint}")
    if optional:
        return _decode(next(a for a in arguments if a is not type(None)), value)
    if dataclasses.is_dataclass(hint):
        return from_dict(hint, value)  # type: ignore[arg-type]
    if origin is tuple:
        return tuple(_decode(arguments[0], v) for v in value)
    if origin is dict:
        return {k: _decode(arguments[1], v) for k, v in value.items()}
    return value
