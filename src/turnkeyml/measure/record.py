"""Make an Evaluation of what the processes measured, and keep it with its samples."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import turnkeyml
from turnkeyml.cache import (
    evaluation_file,
    make_way,
    read_archive,
    replacing,
    samples_file,
    write_json,
)
from turnkeyml.measure import statistics
from turnkeyml.measure.accelerator import DeviceObservation, conditions_of, device_latency
from turnkeyml.measure.after_timing import Recheck
from turnkeyml.measure.credibility import doubts
from turnkeyml.measure.flags import find_flags, grade_of
from turnkeyml.measure.interference import are_apart
from turnkeyml.measure.meter import Samples
from turnkeyml.measure.session import SessionInfo
from turnkeyml.measure.statistics import overall_interval
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import (
    HERE,
    Conditions,
    DamagedRecord,
    Evaluation,
    EvaluationStatus,
    Performance,
    Place,
    to_dict,
)
from turnkeyml.runtimes import Device, Runtime
from turnkeyml.system import Activity

MILLISECOND = 1e6
"""In nanoseconds."""

MOST_SAMPLE_BYTES = 256_000_000
"""Unpacked: some thirty million runs."""

WINDOW_SECONDS = 0.5
LEAST_SECONDS = 0.1
"""The kernel counts in ticks of some milliseconds; over less than this they tell nothing."""


@dataclass(frozen=True)
class ProcessResult:
    """What one process measured."""

    samples: Samples
    costs: SessionInfo
    observation: DeviceObservation | None = None
    """What its accelerator said after the timed runs."""
    recheck: Recheck | None = None
    """What the model did after the timed runs."""
    queueing: tuple[int, ...] = ()
    """Nanoseconds that each request waited, if it was measured under load."""


def evaluation_of(
    results: Sequence[ProcessResult], device: Device, runtime: Runtime, threads: int, rule: Rule
) -> Evaluation:
    """The record of a measurement, from what each of its processes measured."""
    samples = [s.samples for s in results]
    costs = [s.costs for s in results]
    observations = [s.observation for s in results if s.observation is not None]
    conditions = replace(
        _conditions(samples, costs[0], threads, rule), accelerator=conditions_of(observations)
    )
    performance = _with_device(_performance(samples, rule, conditions), observations)
    rechecks = [s.recheck for s in results if s.recheck is not None]
    flags = (*doubts(rechecks, performance, conditions.memory_speed), *performance.flags)
    performance = replace(performance, flags=flags)
    return Evaluation(
        device=costs[0].site.device or device.describe(),
        device_type=device.name,
        runtime=runtime.name,
        runtime_version=costs[0].runtime_version,
        stats=costs[-1].stats,
        status_stats=runtime.status_stats,
        measured_at=_now(),
        load_seconds=float(np.median([c.load_seconds for c in costs])),
        memory_before_bytes=_most(c.memory_before_bytes for c in costs),
        load_peak_memory_bytes=_most(c.load_peak_memory_bytes for c in costs),
        peak_memory_bytes=_most(c.peak_memory_bytes for c in costs),
        device_peak_memory_bytes=_most(o.peak_memory_bytes for o in observations),
        grade=grade_of(performance, conditions),
        performance=performance,
        conditions=conditions,
    )


def failed(device: Device, runtime: Runtime, reason: str, place: Place = HERE) -> Evaluation:
    """The record of a measurement that did not come about."""
    return Evaluation(
        device.name,
        device.describe() if not place.host else "",
        runtime.name,
        python=place.name,
        host=place.host_name,
        status=EvaluationStatus.FAILED,
        reason=reason,
        measured_at=_now(),
    )


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def save_evaluation(folder: Path, results: Sequence[ProcessResult], evaluation: Evaluation) -> None:
    """Keep the record and the raw samples."""
    samples = [s.samples for s in results]
    make_way(samples_file(folder))
    make_way(evaluation_file(folder))
    with replacing(samples_file(folder)) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            timed=_small(np.concatenate([s.timed for s in samples])),
            warmup=_small(np.concatenate([s.warmup for s in samples])),
            blocks=np.array([s.block for s in samples]),
            processes=np.array([len(s.timed) for s in samples]),
            rounds=np.array([n for s in samples for n in s.slices]),
            walls=np.array([w for s in samples for w in s.walls]),
            set_aside=_small(np.concatenate([s.set_aside for s in samples])),
            distances=_distances(samples),
            queueing=np.array([waited for s in results for waited in s.queueing]),
        )
    write_json(evaluation_file(folder), to_dict(evaluation))


def load_samples(file: Path) -> list[np.ndarray]:
    """The latencies of each process, in milliseconds, as they were measured.

    A ``DamagedRecord`` where they cannot be that; a ``FileNotFoundError`` where there are none.
    """
    return _latencies(read_archive(file, MOST_SAMPLE_BYTES, _OF_LATENCIES))


def load_distances(file: Path) -> list[np.ndarray]:
    """How far apart the processors were at each sample of each process; NaN where nobody knows.

    Of a file that ``load_samples`` has read.
    """
    return _distances_of(read_archive(file, MOST_SAMPLE_BYTES, _OF_DISTANCES))


def load_samples_and_distances(file: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return what ``load_samples`` and ``load_distances`` return, and read the file once."""
    arrays = read_archive(file, MOST_SAMPLE_BYTES, (*_OF_LATENCIES, *_OF_DISTANCES))
    return _latencies(arrays), _distances_of(arrays)


_OF_LATENCIES = ("timed", "processes", "blocks")
_OF_DISTANCES = ("processes", "rounds", "distances")


def _latencies(arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    try:
        timed, counts, blocks = arrays["timed"], arrays["processes"], arrays["blocks"]
    except KeyError as error:
        raise DamagedRecord(f"it has no {error}") from None
    for array in (timed, counts, blocks):
        if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size:
            raise DamagedRecord("its arrays are not lists of integers")
        if array.min() < 0 or array.max() >= 2**63:
            raise DamagedRecord("its arrays have negative or huge numbers")
    if min(counts.min(), blocks.min()) < 1 or sum(counts.tolist()) != len(timed):
        raise DamagedRecord("it has a different number of samples than it says")
    if len(blocks) != len(counts):
        raise DamagedRecord("it has a different number of processes than it says")
    parts = np.split(timed.astype(np.int64), np.cumsum(counts)[:-1])
    return [part / block / MILLISECOND for part, block in zip(parts, blocks, strict=True)]


def _distances_of(arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    counts, rounds, found = arrays["processes"], arrays.get("rounds"), arrays.get("distances")
    total = int(counts.sum())
    each = np.full(total, np.nan)
    if rounds is not None and found is not None and _fit(rounds, found, total):
        each = np.repeat(found.astype(np.float64), rounds)
    return np.split(each, np.cumsum(counts)[:-1])


def _fit(rounds: np.ndarray, distances: np.ndarray, total: int) -> bool:
    """Whether there is a number for each round, and the rounds have so many samples."""
    if rounds.ndim != 1 or rounds.shape != distances.shape:
        return False
    if rounds.dtype.kind not in "iu" or distances.dtype.kind not in "iuf":
        return False
    return total > 0 and not (rounds < 0).any() and sum(rounds.tolist()) == total


def _distances(samples: Sequence[Samples]) -> np.ndarray:
    """One number per round, NaN where nobody knows."""
    nothing = [[None] * len(s.slices) for s in samples]
    found = [s.distances or none for s, none in zip(samples, nothing, strict=True)]
    return np.array([d for one in found for d in one], dtype=np.float32)


def _small(times: np.ndarray) -> np.ndarray:
    """The same whole numbers in half the space, where they fit."""
    return times.astype(np.uint32) if times.size and times.max() < 2**32 else times


def _performance(samples: Sequence[Samples], rule: Rule, conditions: Conditions) -> Performance:
    latencies = np.concatenate([s.latencies for s in samples]) / MILLISECOND
    runs, seconds = sum(s.runs for s in samples), sum(s.seconds for s in samples)
    interval = overall_interval([s.latencies / MILLISECOND for s in samples])
    outliers, far_outliers = statistics.outliers(latencies)
    return Performance(
        mean_latency=sum(float(s.timed.sum()) for s in samples) / runs / MILLISECOND,
        throughput=runs / seconds,
        iterations=runs,
        median_latency=float(np.median(latencies)),
        median_low=interval.low if interval else None,
        median_high=interval.high if interval else None,
        p90_latency=statistics.percentile(latencies, 90),
        p95_latency=statistics.percentile(latencies, 95),
        p99_latency=statistics.percentile(latencies, 99),
        latency_standard_deviation=float(np.std(latencies, ddof=1)) if len(latencies) > 1 else 0.0,
        min_latency=float(latencies.min()),
        max_latency=float(latencies.max()),
        warmup_iterations=sum(len(s.warmup) for s in samples),
        samples=len(latencies),
        runs_per_sample=samples[0].block,
        outliers=outliers,
        far_outliers=far_outliers,
        empty_call_latency=samples[0].empty_call / MILLISECOND,
        timer_latency=samples[0].timer / MILLISECOND,
        wall_seconds=seconds,
        paused_seconds=sum(s.paused_seconds for s in samples),
        samples_set_aside=sum(len(s.set_aside) for s in samples),
        processes=len(samples),
        stopped=" ".join(sorted({s.stopped for s in samples})),
        flags=find_flags(samples, rule, conditions),
    )


def _with_device(performance: Performance, found: Sequence[DeviceObservation]) -> Performance:
    """The same statistics with those of the accelerator, if there is one."""
    latency = device_latency(found)
    energies = [o.energy_per_inference for o in found if o.energy_per_inference is not None]
    median, interval = latency or (None, None)
    return replace(
        performance,
        device_latency=median,
        device_latency_low=interval.low if interval else None,
        device_latency_high=interval.high if interval else None,
        energy_per_inference=float(np.median(energies)) if energies else None,
    )


def _conditions(
    samples: Sequence[Samples], costs: SessionInfo, threads: int, rule: Rule
) -> Conditions:
    activities = [a for s in samples for a in s.activities]
    total = sum(activities, Activity(0.0, 0.0, 0.0, 0.0, 0.0))
    site = costs.site
    distance = _middle([d for s in samples for d in s.distances])
    speed = _middle([v for s in samples for v in s.memory_speeds])
    own, of_processes = _own_cores(samples)
    share = None
    if total.stolen is not None and total.seconds:
        share = total.stolen / total.seconds / len(site.processors)
    return Conditions(
        turnkey_version=turnkeyml.__version__,
        python_version=costs.python_version,
        platform=site.platform,
        cpu=site.cpu,
        usable_cores=site.usable_cores,
        processors=",".join(map(str, site.processors)),
        threads=costs.threads or threads,
        cpu_quota=site.cpu_quota,
        governor=site.governor,
        frequency_mhz=site.frequency_mhz,
        load_average=costs.load_average,
        other_cores=_besides(
            of_processes, total.other_cores if total.seconds >= LEAST_SECONDS else None
        ),
        worst_other_cores=_besides(of_processes, _worst(activities)),
        own_cores=own,
        stolen_share=share,
        processor_distance=distance,
        memory_speed=speed,
        processors_apart=None if distance is None else site.may_move and are_apart(distance),
        throttled_seconds=total.throttled,
        overheated=total.overheated,
        libraries=costs.libraries,
        settings=costs.settings,
        rule=to_dict(rule),
        python=costs.python,
    )


def _own_cores(samples: Sequence[Samples]) -> tuple[float | None, float]:
    """The processors that what the script left used, and those that its processes did."""
    found = [s.own_load for s in samples if s.own_load is not None]
    seconds = sum(load.seconds for load in found)
    if not seconds:
        return None, 0.0
    of_processes = sum(load.process_seconds for load in found) / seconds
    return of_processes + sum(load.thread_seconds for load in found) / seconds, of_processes


def _besides(own: float, cores: float | None) -> float | None:
    """What others used: to the kernel's counters the script's processes are others as well."""
    return None if cores is None else max(0.0, cores - own)


def _middle(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


def _worst(activities: list[Activity]) -> float | None:
    """The most cores that others had over half a second: the counters are coarse."""
    windows: list[Activity] = []
    current = Activity(0.0, 0.0)
    for activity in activities:
        current = current + activity
        if current.seconds >= WINDOW_SECONDS:
            windows.append(current)
            current = Activity(0.0, 0.0)
    found = [w.other_cores for w in windows]
    return max((cores for cores in found if cores is not None), default=None)


def _most(values: Any) -> int | None:
    return max((v for v in values if v is not None), default=None)
