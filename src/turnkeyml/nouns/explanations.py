"""Why a model is as slow as it is: operators against what the machine can do, and findings."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnkeyml.nouns.plain import Word
from turnkeyml.nouns.profiles import TensorShape
from turnkeyml.nouns.verdicts import Verdict


class Bound(Word):
    """What limits an operator on this machine."""

    COMPUTE = "compute"
    """Arithmetic takes longer than moving its data."""
    MEMORY = "memory"
    """Moving its data takes longer than arithmetic."""
    UNKNOWN = "unknown"
    """The cost of the operator, or the peak in its precision, is not known."""


@dataclass(frozen=True)
class Peaks:
    """What this machine can do with so many threads, or its accelerator, measured."""

    machine: str
    """The name of the processor or of the accelerator."""
    threads: int
    """0 for an accelerator."""
    measured_at: str = ""
    products: dict[str, dict[str, float]] = field(default_factory=dict)
    """Billions of operations per second of a matrix product: by precision, then by library."""
    bandwidths: dict[str, dict[str, float]] = field(default_factory=dict)
    """Gigabytes per second: by the bytes of the working set, then by kernel (read, copy, triad)."""
    problems: tuple[str, ...] = ()
    """What could not be measured, and why, in sentences."""
    other_cores: float = 0.0
    """How many processors other programs used meanwhile, on average."""

    @property
    def where(self) -> str:
        """What they are the peaks of, as the end of a sentence."""
        if not self.threads:
            return f"on the {self.machine}"
        return f"with {self.threads} thread{'s' * (self.threads != 1)}"

    def product(self, precision: str) -> float | None:
        """The best matrix product in a precision, in billions of operations per second."""
        return max(self.products.get(precision, {}).values(), default=None)

    def points(self) -> list[tuple[int, float]]:
        """The best bandwidth of each working set, in bytes and gigabytes per second."""
        found = [(int(size), max(v.values())) for size, v in self.bandwidths.items() if v]
        return sorted(found)


@dataclass(frozen=True)
class Operator:
    """One operator: its part of the latency, its cost, and what the machine allows."""

    name: str
    op_type: str
    ms: float
    share: float
    """Of the latency."""
    calls: float = 1.0
    module: str = ""
    provider: str = ""
    kernel: str = ""
    precision: str = ""
    inputs: tuple[TensorShape, ...] = ()
    outputs: tuple[TensorShape, ...] = ()
    flops: float | None = None
    """Floating-point or integer operations per run; None if unknown."""
    bytes: float | None = None
    """That a run must read and write; None if unknown."""
    weight_bytes: float = 0.0
    """Of these, weights."""
    least_ms: float | None = None
    """The time that the measured peaks allow at best."""
    bound: Bound = Bound.UNKNOWN

    @property
    def efficiency(self) -> float | None:
        """How much of what the machine allows it reaches; None if unknown."""
        return None if self.least_ms is None or not self.ms else self.least_ms / self.ms


@dataclass(frozen=True)
class Part:
    """Operators of one type or of one module, together."""

    name: str
    count: int
    ms: float
    share: float


@dataclass(frozen=True)
class Alternative:
    """The same model in another configuration, measured in turns with the explained one."""

    name: str
    threads: int
    precision: str
    ms: float | None
    """The median latency; None if it could not be measured."""
    reason: str = ""
    """Why not."""
    verdict: Verdict | None = None
    setting: str = ""
    """The runtime argument that it differs in, as key=value."""


@dataclass(frozen=True)
class Finding:
    """Something that costs time, with the evidence and what to try."""

    kind: str
    text: str
    """What it is, in a sentence with its figures."""
    evidence: str
    advice: str
    ms: float
    """How much of the latency it is about."""


@dataclass(frozen=True)
class Explanation:
    """Why a model takes as long as it does. Times are in milliseconds per run.

    ``latency`` is ``operators_ms`` plus ``outside_ms``, by construction: see docs/explain.md.
    """

    build_name: str
    model: str
    device: str
    runtime: str
    runtime_version: str
    precision: str
    threads: int
    created: str
    latency: float
    """The median of runs without any profiler."""
    latency_low: float | None
    latency_high: float | None
    operators_ms: float
    outside_ms: float
    outside: str
    """What the time outside of the operators is, in words."""
    profiler: str
    profiled_runs: int
    plain_ms: float
    """A run without the profiler, in turns with the profiled ones."""
    profiled_ms: float
    profiled_operators_ms: float
    """The sum of the operators as they were recorded."""
    in_python: bool
    """Whether Python calls every operator."""
    resolution_us: float
    """The unit of the profiler's clock."""
    peaks: Peaks
    operators: tuple[Operator, ...] = ()
    types: tuple[Part, ...] = ()
    modules: tuple[Part, ...] = ()
    flops: float = 0.0
    bytes: float = 0.0
    weight_bytes: float = 0.0
    least_ms: float = 0.0
    """The sum of what the machine allows for each operator; operators of unknown cost count as
    they are."""
    weights_ms: float = 0.0
    """The time to read the weights once, from wherever so many bytes fit."""
    limits: dict[str, float] = field(default_factory=dict)
    """The latency by what holds it back: compute, memory, kernels far from both, unknown
    operators, and what is outside of operators."""
    alternatives: tuple[Alternative, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    """Why the figures are not those of a quiet machine, in sentences."""
    verdict: Verdict | None = None
    accelerator: str = ""
    """The name of the accelerator; empty if the model runs on the processor. The operators then
    have the times of the accelerator, and what is outside of them is time in which it waits."""
    kernels: float = 0.0
    """How many kernels and copies a run starts on the accelerator."""
    host_ms: float | None = None
    """The time until the host has started everything on the accelerator."""
    by_host: bool = False
    """Whether the operators have the times in which the host starts them, because the profiler
    records nothing of the accelerator."""
    no_roofline: str = ""
    """Why the measured peaks do not hold here, so that the operators have no bounds; empty if they
    do."""
    trace: str = ""
    """The path of the trace in the build folder."""
