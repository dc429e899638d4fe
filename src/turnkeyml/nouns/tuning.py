"""Tuning: configurations, what became of each, and which one to use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turnkeyml.nouns.plain import Word
from turnkeyml.nouns.verdicts import Verdict

TUNED = "tune"
"""The parameter of an evaluation that names the configuration that was tried."""

BRIEF = ("Loading ", "Racing ")
"""How sentences about what is done begin that matter only until the next one."""


@dataclass(frozen=True)
class Configuration:
    """A way to run a build."""

    runtime: str
    precision: str
    """fp32, fp16, bf16, int8-dynamic, int8-static, or that of the file if it is another."""
    threads: int
    arguments: dict[str, Any] = field(default_factory=dict)
    """Those of the runtime that differ from their defaults."""
    batch: int = 1
    """How many copies of the recorded inputs make one run."""

    @property
    def label(self) -> str:
        """Everything in a few words, such as ``ort int8-static, 2 threads``."""
        return f"{self.runtime} {self.details}"

    @property
    def details(self) -> str:
        """The label without the runtime."""
        words = [self.precision, f"{self.threads} thread{'s' * (self.threads != 1)}"]
        words += [f"{name}={_word(value)}" for name, value in sorted(self.arguments.items())]
        words += [f"batch x{self.batch}"] * (self.batch > 1)
        return ", ".join(words)

    def __hash__(self) -> int:
        return hash(self.label)


@dataclass(frozen=True)
class OutputErrors:
    """How far outputs are from the original's: the worst of all outputs and sets of inputs."""

    cosine: float
    sqnr: float
    """Signal to quantization noise, in decibels; at most 200."""
    relative: float
    """The largest error relative to the largest number of the output."""
    sets: int = 1
    """The sets of inputs: the recorded one, and held-out ones of the same magnitude."""


class TrialStatus(Word):
    """What became of a configuration."""

    WINNER = "winner"
    OPEN = "not told apart"
    """From the winner, in the time that there was."""
    BEATEN = "slower"
    WRONG = "not right"
    """Its outputs are not what was asked for, or its latency is not credible; it cannot win."""
    FAILED = "failed"
    SKIPPED = "not tried"
    """It cannot be built or run here, or its runtime says that it is of no use."""
    UNTRIED = "time over"
    """The budget ended before its turn."""


@dataclass(frozen=True)
class Trial:
    """One configuration and what became of it."""

    configuration: Configuration
    status: TrialStatus
    reason: str = ""
    latency: float | None = None
    """Milliseconds of a run, the median."""
    latency_low: float | None = None
    """The ends of the 95% interval of the median."""
    latency_high: float | None = None
    throughput: float | None = None
    """Copies of the recorded inputs per second."""
    relative_time: float | None = None
    """The time per copy of the inputs over that of the default configuration, from runs that took
    turns."""
    errors: OutputErrors | None = None
    verdict: Verdict | None = None
    metric: float | None = None
    """What the function of --metric returned."""
    peak_memory_bytes: int | None = None
    on_front: bool = False
    """Whether no other right configuration is at least as good in time, errors and memory."""

    @property
    def is_right(self) -> bool:
        """Whether it was measured and may win."""
        known = (TrialStatus.WINNER, TrialStatus.OPEN, TrialStatus.BEATEN)
        return self.status in known and self.relative_time is not None


@dataclass(frozen=True)
class TuneResult:
    """The fastest configuration of a build that is still right."""

    build_name: str
    device: str
    objective: str
    right: str
    """What counts as right, in words."""
    default: Configuration
    winner: Configuration | None
    speedup: float | None = None
    """How many times as fast as the default the winner is."""
    speedup_low: float | None = None
    """The ends of its 95% interval."""
    speedup_high: float | None = None
    trials: tuple[Trial, ...] = ()
    seconds: float = 0.0
    """Of this and of resumed runs."""
    is_complete: bool = True
    """Whether nothing was left to try when the budget ended."""
    verdict: str = ""
    """The result in a sentence."""
    hints: tuple[str, ...] = ()
    program: str | None = None
    """The path of the program that runs the model in the configuration of the winner."""

    def trial(self, configuration: Configuration | None) -> Trial | None:
        """The trial of a configuration; None if it has none."""
        return next((t for t in self.trials if t.configuration == configuration), None)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
