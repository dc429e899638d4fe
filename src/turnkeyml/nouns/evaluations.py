"""What was measured: numbers, the conditions they were measured under, and races."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from turnkeyml.nouns.plain import Word
from turnkeyml.nouns.verdicts import Verdict, Verification

__all__ = [
    "Conditions",
    "Evaluation",
    "EvaluationStatus",
    "Flag",
    "FlagKind",
    "Grade",
    "MeasuredPerformance",
    "Performance",
    "RaceResult",
    "RaceRow",
]

LATENCY_UNITS = "milliseconds (ms)"
THROUGHPUT_UNITS = "inferences per second (IPS)"


class EvaluationStatus(Word):
    """Whether a measurement came about."""

    SUCCESSFUL = "successful"
    FAILED = "failed"


class Grade(Word):
    """How far the conditions of a measurement let one rely on its median."""

    A = "A"
    """Quiet and precise: the median is good to 1%."""
    B = "B"
    """Good to 3%."""
    C = "C"
    """Good to 10%: disturbed, or measured for a short time."""
    D = "D"
    """Not to be relied on."""


class FlagKind(Word):
    """What stands between some samples and a number to rely on."""

    CAP = "cap"
    SETTLED = "settled"
    PROCESSES = "processes"
    FEW = "few"
    UNSTEADY = "unsteady"
    TIMER = "timer"
    DRIFT = "drift"
    VARIATION = "variation"
    LOAD = "load"
    STEAL = "steal"
    QUOTA = "quota"
    HEAT = "heat"
    THREADS = "threads"
    ARTIFACT = "artifact"


@dataclass(frozen=True)
class Flag:
    """Something about a measurement that its reader should know, and what to do about it."""

    kind: FlagKind
    text: str


@dataclass(frozen=True)
class Performance:
    """The statistics of one measurement. Latencies are in milliseconds."""

    mean_latency: float
    throughput: float
    """Runs divided by the wall time that they took."""
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
    paused_seconds: float = 0.0
    """Spent on waiting for other load to pass."""
    samples_set_aside: int = 0
    """Taken while others had the machine; they are kept with the raw samples and do not count."""
    processes: int = 1
    stopped: str = ""
    """Why no more was measured: precise, settled, restless, cap, count; in a race also lost (it
    cannot win any more), answered (the race is decided) or time."""
    flags: tuple[Flag, ...] = ()

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
    build_name: str = ""
    status: EvaluationStatus = EvaluationStatus.SUCCESSFUL
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
    verification: Verification | None = None
    """The verdict on what this runtime computed, on the device it was measured on."""
    grade: Grade | None = None
    performance: Performance | None = None
    conditions: Conditions | None = None

    @property
    def ok(self) -> bool:
        return self.performance is not None

    @property
    def label(self) -> str:
        """What tells it from the other evaluations of its build."""
        return f"{self.runtime} {self.precision}".rstrip()

    @property
    def verdict(self) -> Verdict:
        return self.verification.verdict if self.verification else Verdict.NOT_CHECKED

    def measured_performance(self) -> MeasuredPerformance | None:
        """Everything about a successful measurement in one object; None for a failure."""
        if self.performance is None:
            return None
        numbers = {f.name: getattr(self.performance, f.name) for f in fields(Performance)}
        return MeasuredPerformance(
            **numbers,
            device=self.device,
            device_type=self.device_type,
            runtime=self.runtime,
            runtime_version=self.runtime_version,
            precision=self.precision,
            threads=self.conditions.threads if self.conditions else 0,
            rule=str(self.conditions.rule.get("name", "")) if self.conditions else "",
            build_name=self.build_name,
            verification=self.verification,
            grade=self.grade,
        )


@dataclass(frozen=True)
class MeasuredPerformance(Performance):
    """What ``benchmark_model`` returns: the numbers with what they are the numbers of.

    It is made from an Evaluation and never stored.
    """

    latency_units: str = LATENCY_UNITS
    throughput_units: str = THROUGHPUT_UNITS
    device: str = ""
    device_type: str = ""
    runtime: str = ""
    runtime_version: str = ""
    precision: str = ""
    threads: int = 0
    rule: str = ""
    build_name: str = ""
    verification: Verification | None = None
    grade: Grade | None = None


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
        """Only what was measured and can be trusted."""
        return self.evaluation.ok and self.evaluation.verdict.trusted


@dataclass(frozen=True)
class RaceResult:
    """Several runtimes and precisions on the same model and inputs, measured in turns."""

    baseline: str | None
    rounds: int
    rows: tuple[RaceRow, ...]
    winner: str | None = None
    verdict: str = ""
