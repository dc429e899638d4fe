"""The noise floor: what this machine does to a loop that always does the same, in two seconds.

A fixed loop is measured like any model, by the same sampler, and graded by the same rules. So the
grade is the one that a model would get now.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from turnkeyml.measure.flags import LIMITS, margin_of
from turnkeyml.measure.interference import Distance
from turnkeyml.measure.memory import memory_speed
from turnkeyml.measure.meter import Samples, SessionMeter
from turnkeyml.measure.record import ProcessResult, evaluation_of
from turnkeyml.measure.sampler import sample
from turnkeyml.measure.session import SessionInfo
from turnkeyml.measure.statistics import spread
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import Evaluation, FlagKind, Grade, NoiseFloor
from turnkeyml.runtimes import default_device, find_runtime
from turnkeyml.system import load_average, usable_cores

RULE = Rule(
    name="noise floor",
    least_seconds=1.5,
    cap_seconds=1.6,
    warmup_seconds=0.1,
    warmup_cap_seconds=0.3,
    warmup_restless_seconds=0.3,
)
WORDS = 32_768
"""Of four bytes: with the result a quarter of a megabyte, which the cache of a core holds."""
REPEATS = 40
"""Which make a run of a few tenths of a millisecond: longer than the clock's own noise."""

ABOUT_LENGTH = (FlagKind.CAP, FlagKind.SETTLED, FlagKind.FEW, FlagKind.PROCESSES)
"""Flags about how long was measured, which is not the machine's doing here."""


class _FixedLoop:
    """A session that does the same work in every run."""

    changes_inputs = False
    asynchronous = False

    def __init__(self) -> None:
        self._source = np.linspace(0.5, 1.5, WORDS, dtype=np.float32)
        self._target = np.empty_like(self._source)

    def feed(self, inputs: object) -> None:
        """Does nothing: it has its own data."""

    def prepare(self) -> None:
        """Does nothing: it does not modify its data."""

    def run(self) -> None:
        for _ in range(REPEATS):
            np.multiply(self._source, self._source, out=self._target)

    def synchronize(self) -> None:
        """Does nothing: it is synchronous."""

    def outputs(self) -> dict[str, np.ndarray]:
        return {}

    def settings(self) -> dict[str, object]:
        return {}

    def close(self) -> None:
        """Does nothing."""


def noise_floor(rule: Rule = RULE) -> NoiseFloor:
    """What reading the clock costs, how much a fixed loop varies, what else went on meanwhile, and
    the grade that a measurement would get now. It takes about two seconds."""
    threads = usable_cores()
    samples = _sample(threads, rule)
    device = default_device()
    runtime = find_runtime(device.default_runtime, device.name)
    load = load_average()
    result = ProcessResult(samples, SessionInfo(0.0, load_average=load))
    return _described(evaluation_of([result], device, runtime, threads, rule), samples)


def _sample(threads: int, rule: Rule) -> Samples:
    before = memory_speed()
    look = Distance().look if threads > 1 else None
    (found,) = sample([SessionMeter(_FixedLoop(), look=look)], rule)
    if isinstance(found, BaseException):
        raise found
    speeds = tuple(speed for speed in (before, memory_speed()) if speed is not None)
    return replace(found, memory_speeds=speeds)


def _described(evaluation: Evaluation, samples: Samples) -> NoiseFloor:
    performance, conditions = evaluation.performance, evaluation.conditions
    assert performance is not None
    assert conditions is not None
    margin = margin_of(performance, conditions)
    p99 = performance.p99_latency
    return NoiseFloor(
        seconds=samples.seconds,
        timer_nanoseconds=samples.timer,
        loop_latency=performance.median_latency,
        loop_spread=spread(samples.latencies),
        loop_p99=None if p99 is None else p99 / performance.median_latency - 1,
        other_cores=conditions.other_cores,
        stolen_share=conditions.stolen_share,
        throttled_seconds=conditions.throttled_seconds,
        processor_distance=conditions.processor_distance,
        processors_apart=conditions.processors_apart,
        memory_speed=conditions.memory_speed,
        load_average=conditions.load_average,
        governor=conditions.governor,
        frequency_mhz=conditions.frequency_mhz,
        grade=evaluation.grade or Grade.D,
        margin=None if math.isinf(margin) else margin,
        reasons=tuple(_reasons(evaluation, margin)),
    )


def _reasons(evaluation: Evaluation, margin: float) -> Iterator[str]:
    """Why the grade is not better, in sentences that say what to do; why it is good, if it is A."""
    performance = evaluation.performance
    assert performance is not None
    told = [flag.text for flag in performance.flags if flag.kind not in ABOUT_LENGTH]
    if evaluation.grade is Grade.A:
        yield f"Nothing disturbs: a median can be relied on to {LIMITS[Grade.A]:.0%}."
        return
    yield from told
    width = performance.relative_half_width
    if width is None or width >= margin or not told:
        known = "not known" if width is None else f"only known to ±{width:.1%}"
        yield (
            f"The median of a loop that always does the same is {known} after "
            f"{performance.wall_seconds or 0.0:.1f} s: stop other programs, or use a quieter "
            "machine."
        )
