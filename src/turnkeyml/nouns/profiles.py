"""What the profiler of a runtime says of one model: the time of each operator."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LAYER", "OperatorTime", "Profile", "Span", "TensorShape"]

LAYER = "Layer"
"""The type of an operator of which the profiler knows the name alone."""


@dataclass(frozen=True)
class TensorShape:
    """The dtype and the shape of an input or output of an operator."""

    dtype: str
    """The name that numpy has for it, or ``bfloat16``."""
    shape: tuple[int, ...]
    constant: bool = False
    """Whether it is a weight, which is the same in every run."""


@dataclass(frozen=True)
class OperatorTime:
    """One operator as the runtime executes it, which may be several of the model fused into one."""

    name: str
    op_type: str
    ms: float
    """Milliseconds per run, without those of operators inside of it."""
    calls: float = 1.0
    """How often a run executes it."""
    provider: str = ""
    """The part of the runtime that executed it, such as CPUExecutionProvider."""
    module: str = ""
    """The module of the model that it belongs to, by its dotted name."""
    kernel: str = ""
    """The implementation that the runtime chose, if it says so."""
    inputs: tuple[TensorShape, ...] = ()
    outputs: tuple[TensorShape, ...] = ()


@dataclass(frozen=True)
class Span:
    """One operator in one profiled run, for a trace. Times are in microseconds."""

    name: str
    op_type: str
    start_us: float
    duration_us: float
    thread: str = ""


@dataclass(frozen=True)
class Profile:
    """The operators of a model with their times, and what the profiler itself cost.

    ``operators`` is the mean of the profiled runs, without the slowest and the fastest where the
    profiler tells runs apart. They add up to at most ``profiled_ms``.
    """

    profiler: str
    """Its name, for people."""
    runs: int
    """How many profiled runs the times come from."""
    plain_ms: float
    """A run without the profiler, measured in turns with the profiled ones."""
    profiled_ms: float
    """A profiled run."""
    operators: tuple[OperatorTime, ...]
    spans: tuple[Span, ...] = ()
    """One run, operator by operator."""
    resolution_us: float = 0.0
    """The unit of the profiler's clock; shorter operators may count as nothing."""
    outside: str = "between the operators"
    """What the time is that belongs to no operator, in words."""
    in_python: bool = False
    """Whether Python calls every operator."""
    on_device: bool = False
    """Whether the times of the operators are those of an accelerator's own clock, so that they do
    not depend on how fast the host was meanwhile."""
    kernels: float = 0.0
    """How many kernels and copies a run starts on the accelerator; 0 if nobody counts them."""
    host_ms: float | None = None
    """The time until the host has started everything on the accelerator, without waiting for it;
    None where there is none."""
    tf32: tuple[str, ...] = ()
    """The kinds of operators that round the factors of fp32 products to TF32."""
    notes: tuple[str, ...] = ()
    """What else a reader of the times must know, in sentences."""

    @property
    def by_host(self) -> bool:
        """Whether the model is on an accelerator of which the profiler records nothing: the times
        of the operators are those in which the host starts them."""
        return self.host_ms is not None and not self.on_device
