"""Measurements: their statistics, their conditions, and races."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from turnkeyml.nouns.contestants import label_of
from turnkeyml.nouns.flags import Flag
from turnkeyml.nouns.loads import UnderLoad
from turnkeyml.nouns.plain import Word
from turnkeyml.nouns.verdicts import Verdict, Verification

LATENCY_UNITS = "milliseconds (ms)"
THROUGHPUT_UNITS = "inferences per second (IPS)"


class EvaluationStatus(Word):
    """Whether a measurement succeeded."""

    SUCCESSFUL = "successful"
    FAILED = "failed"


class Grade(Word):
    """How reliable a median is, given the conditions of its measurement."""

    A = "A"
    """Quiet and precise: the median is reliable to 1%."""
    B = "B"
    """Reliable to 3%."""
    C = "C"
    """Reliable to 10%: disturbed, or measured for a short time."""
    D = "D"
    """Not reliable."""


class StopReason(Word):
    """Why a measurement took no more samples."""

    PRECISE = "precise"
    """The interval of the median is as narrow as requested."""
    COUNT = "count"
    """It has the requested number of runs."""
    CAP = "cap"
    """The time limit."""
    SETTLED = "settled"
    """The noise is steady, and the precision would take longer than the time limit."""
    RESTLESS = "restless"
    """The noise comes in bursts, and the precision would take far longer than the time limit."""
    LOST = "lost"
    """In a race: it cannot win any more."""
    ANSWERED = "answered"
    """The race is decided."""
    TIME = "time"
    """The time for the rounds of a race is over."""
    FAILED = "failed"
    """It raised an error; such a contestant has no samples."""
    SELF_REPORTED = "self-reported"
    """Only the runtime knows: it measured by itself."""


@dataclass(frozen=True)
class Performance:
    """The statistics of one measurement. Latencies are in milliseconds."""

    mean_latency: float
    throughput: float
    """Runs per second of wall time."""
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
    """More than one if single runs are too short to be timed individually."""
    outliers: int = 0
    far_outliers: int = 0
    empty_call_latency: float | None = None
    """The latency of an empty call in the same loop; it is included in the latencies."""
    timer_latency: float | None = None
    wall_seconds: float | None = None
    paused_seconds: float = 0.0
    """Spent on waiting for other load to pass."""
    samples_set_aside: int = 0
    """Taken while others had the machine; they are kept with the raw samples and do not count."""
    processes: int = 1
    stopped: str = ""
    """The ``StopReason`` of each process, in words."""
    flags: tuple[Flag, ...] = ()
    device_latency: float | None = None
    """The median time of a run on the accelerator by its own events, without transfers."""
    device_latency_low: float | None = None
    """The ends of the 95% interval of that median."""
    device_latency_high: float | None = None
    energy_per_inference: float | None = None
    """Joules of the accelerator, idle power included, over a steady loop after the timed runs."""

    @property
    def is_credible(self) -> bool:
        """Whether nothing says that the latency is not that of the model."""
        return not any(flag.kind.discredits for flag in self.flags)

    @property
    def relative_half_width(self) -> float | None:
        """Half the width of the interval of the median, relative to it; None if there is none."""
        if self.median_low is None or self.median_high is None or not self.median_latency:
            return None
        return (self.median_high - self.median_low) / 2 / self.median_latency


@dataclass(frozen=True)
class Conditions:
    """What is needed to repeat a measurement, and what disturbed it."""

    turnkey_version: str
    python_version: str
    platform: str
    cpu: str
    usable_cores: int
    processors: str
    """The logical processors that the process could use."""
    threads: int
    cpu_quota: float | None = None
    governor: str | None = None
    frequency_mhz: float | None = None
    load_average: float | None = None
    other_cores: float | None = None
    """The average number of processors that other programs used meanwhile."""
    worst_other_cores: float | None = None
    """The same for the worst half second."""
    own_cores: float | None = None
    """The same for the threads and processes that the script left; None if it left none."""
    stolen_share: float | None = None
    processor_distance: float | None = None
    """How many times as long a processor took to read what another had just written as to read
    what it had written itself; it changes when a hypervisor moves the processors."""
    processors_apart: bool | None = None
    """Whether the hypervisor ran the processors on different core complexes; None if unknown."""
    memory_speed: float | None = None
    """Gigabytes that were copied in a second, the median of before and after each process."""
    throttled_seconds: float | None = None
    overheated: float | None = None
    libraries: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    """The settings of the runtime."""
    rule: dict[str, Any] = field(default_factory=dict)
    python: str = ""
    """The path of the interpreter that measured."""
    accelerator: dict[str, Any] = field(default_factory=dict)
    """The accelerator: its clocks, temperature, throttle reasons and foreign processes."""
    machine: str = ""
    """The name that the machine has in its network, if it is another than that of turnkey."""


@dataclass(frozen=True)
class Evaluation:
    """One build on one device with one runtime: a measurement, or the reason of a failure."""

    device_type: str
    device: str
    runtime: str
    runtime_version: str = ""
    python: str = ""
    """The name of the interpreter that measured, from --python; empty for turnkey's own."""
    host: str = ""
    """The name of the machine that measured, from --host; empty for that of turnkey."""
    precision: str = ""
    build_name: str = ""
    status: EvaluationStatus = EvaluationStatus.SUCCESSFUL
    reason: str | None = None
    artifact: str | None = None
    artifact_sha256: str | None = None
    samples_file: str | None = None
    """The path of the raw samples, relative to the build folder."""
    parameters: dict[str, str] = field(default_factory=dict)
    """The script arguments that belong to a sweep."""
    measured_at: str = ""
    load_seconds: float | None = None
    memory_before_bytes: int | None = None
    load_peak_memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    device_peak_memory_bytes: int | None = None
    """On the accelerator."""
    verification: Verification | None = None
    """The verdict on the outputs of this runtime on this device."""
    grade: Grade | None = None
    performance: Performance | None = None
    under_load: UnderLoad | None = None
    """The load, if the latencies are those of many requests at once; None for one at a time."""
    time_to_first_token: float | None = None
    """Milliseconds; the median of the prefill of a decoder."""
    time_per_output_token: float | None = None
    """Milliseconds; the median of a decode step."""
    tokens_per_second: float | None = None
    """Tokens that decode steps of this length give, over all sequences of the batch."""
    conditions: Conditions | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    """What the runtime reports besides, under names of its own."""
    status_stats: tuple[str, ...] = ()
    """Which of these are shown with the result."""

    @property
    def ok(self) -> bool:
        """Whether it was measured; its verdict says whether it computes what it should."""
        return self.performance is not None

    @property
    def label(self) -> str:
        """The runtime, its place, the precision and the load: what sets apart those of a build."""
        own = label_of(self.runtime, self.python, self.precision, self.host)
        return f"{own} {self.under_load.pattern}" if self.under_load else own

    @property
    def verdict(self) -> Verdict:
        return self.verification.verdict if self.verification else Verdict.NOT_CHECKED

    @property
    def verdict_in_words(self) -> str:
        """The verdict as tables show it."""
        return self.verification.in_words if self.verification else str(Verdict.NOT_CHECKED)

    def measured_performance(self) -> MeasuredPerformance | None:
        """A successful measurement with its context in one object; None for a failure."""
        if self.performance is None:
            return None
        numbers = {f.name: getattr(self.performance, f.name) for f in fields(Performance)}
        return MeasuredPerformance(
            **numbers,
            device=self.device,
            device_type=self.device_type,
            runtime=self.runtime,
            runtime_version=self.runtime_version,
            python=self.python,
            host=self.host,
            precision=self.precision,
            threads=self.conditions.threads if self.conditions else 0,
            rule=str(self.conditions.rule.get("name", "")) if self.conditions else "",
            build_name=self.build_name,
            verification=self.verification,
            grade=self.grade,
        )


@dataclass(frozen=True)
class MeasuredPerformance(Performance):
    """The result of ``benchmark_model``: a Performance with its device, runtime and verdict.

    It is made from an Evaluation and never stored.
    """

    latency_units: str = LATENCY_UNITS
    throughput_units: str = THROUGHPUT_UNITS
    device: str = ""
    device_type: str = ""
    runtime: str = ""
    runtime_version: str = ""
    python: str = ""
    host: str = ""
    precision: str = ""
    threads: int = 0
    rule: str = ""
    build_name: str = ""
    verification: Verification | None = None
    grade: Grade | None = None


@dataclass(frozen=True)
class Generation:
    """How fast a decoder generates with one runtime. Times are in milliseconds."""

    model_name: str
    model_hash: str
    parent_hash: str | None
    device_type: str
    device: str
    runtime: str
    label: str
    """The runtime, its place and the precision."""
    time_to_first_token: float | None
    """The median of the prefill; None if the script has none."""
    time_per_output_token: float
    """The mean over all decode steps: their medians, interpolated between the lengths."""
    tokens_per_second: float
    """Of the decode steps, over all sequences of the batch."""
    cache_lengths: tuple[int, ...]
    """The lengths that were measured; 0 for a cache that does not grow."""
    verdict: Verdict
    """The worst of the measured invocations."""
    prefill_hash: str | None
    decode_hashes: tuple[str, ...]


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
        """Whether it was measured, and neither its latency nor its verdict rules it out."""
        performance = self.evaluation.performance
        credible = performance is not None and performance.is_credible
        return credible and self.evaluation.verdict.may_win


@dataclass(frozen=True)
class RaceResult:
    """Several runtimes and precisions on the same model and inputs, measured in turns."""

    baseline: str | None
    rounds: int
    rows: tuple[RaceRow, ...]
    winner: str | None = None
    verdict: str = ""
