"""Device time, energy and conditions of an accelerator, read after the timed runs.

The latency is that of a synchronized call with its transfers, and this changes nothing about it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from turnkeyml.measure.statistics import Interval, overall_interval
from turnkeyml.runtimes import Monitor, Session

FIRST_RUNS = 5
LEAST_RUNS, MOST_RUNS = 30, 1000
DEVICE_SECONDS = 0.5
"""For how long runs are timed by events, if that makes enough of them."""
STEADY_SECONDS = 1.2
"""The counter of the energy moves about every 0.1 s."""
LOOK_SECONDS = 0.3
WARM_SECONDS = 0.2
"""Runs before the energy is counted, as the accelerator may have idled; those that were timed by
events just before count."""


@dataclass(frozen=True)
class DeviceObservation:
    """What one process saw of its accelerator after its timed runs."""

    times: tuple[float, ...] = ()
    """Milliseconds of each run, by the events of the device."""
    energy_per_inference: float | None = None
    """Joules."""
    peak_memory_bytes: int | None = None
    conditions: dict[str, Any] = field(default_factory=dict)


def observe(session: Session, monitor: Monitor | None) -> DeviceObservation | None:
    """The device time, the energy and the conditions of a session; None without accelerator."""
    has_times = hasattr(session, "device_times")
    if not has_times and monitor is None:
        return None
    looks = [monitor.look()] if monitor is not None else []  # right after the timed runs
    begin = time.perf_counter()
    times = _device_times(session) if has_times else ()
    energy = None
    if monitor is not None:
        busy = time.perf_counter() - begin if has_times else 0.0
        energy, more = _steady_loop(session, monitor, WARM_SECONDS - busy)
        looks += more
    memory = session.device_memory() if hasattr(session, "device_memory") else None
    return DeviceObservation(times, energy, memory, _worst(looks))


def _device_times(session: Any) -> tuple[float, ...]:
    session.prepare()
    first = max(1e-6, float(np.median(session.device_times(FIRST_RUNS))))
    runs = int(min(MOST_RUNS, max(LEAST_RUNS, DEVICE_SECONDS * 1e3 / first)))
    return tuple(map(float, session.device_times(runs)))


def _steady_loop(
    session: Session, monitor: Monitor, warm_seconds: float
) -> tuple[float | None, list[dict[str, Any]]]:
    """Joules per inference, and what the accelerator looked like meanwhile."""
    _run_for(session, warm_seconds)
    looks, runs = [], 0
    begin, before = time.perf_counter(), monitor.energy()
    while time.perf_counter() - begin < STEADY_SECONDS:
        runs += _run_for(session, LOOK_SECONDS)
        looks.append(monitor.look())
    after = monitor.energy()
    known = before is not None and after is not None and after > before
    return (after - before) / runs if known else None, looks  # type: ignore[operator]


def _run_for(session: Session, seconds: float) -> int:
    """Run for so many seconds; how many runs that made."""
    begin, runs = time.perf_counter(), 0
    while not runs or time.perf_counter() - begin < seconds:
        session.prepare()
        session.run()
        session.synchronize()
        runs += 1
    return runs


def _worst(looks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The last look, with every throttle reason, the highest temperature and the most processes
    of others that any of them saw."""
    if not looks:
        return {}
    found = dict(looks[-1])
    reasons = [reason for look in looks for reason in look.get("throttle_reasons") or ()]
    if any("throttle_reasons" in look for look in looks):
        found["throttle_reasons"] = list(dict.fromkeys(reasons))
    for name in ("temperature_celsius", "foreign_processes"):
        known = [look[name] for look in looks if look.get(name) is not None]
        if known:
            found[name] = max(known)
    return found


class LoadWatch:
    """Watches an accelerator from now until a load has ended, and takes no time of the load."""

    def __init__(self, session: Session, monitor: Monitor | None) -> None:
        self._session, self._monitor = session, monitor
        self._before = None if monitor is None else monitor.energy()
        self._began = time.perf_counter()

    def end(self, answers: int | None) -> DeviceObservation | None:
        """What it says of the load; None without an accelerator.

        The energy per answer includes what it takes while it waits for requests. It is not known
        without the number of answers, and of a load that was too short for the counter.
        """
        seconds = time.perf_counter() - self._began
        measure = getattr(self._session, "device_memory", None)
        if self._monitor is None:
            return None if measure is None else DeviceObservation(peak_memory_bytes=measure())
        after, before = self._monitor.energy(), self._before
        energy = None
        if answers and seconds >= STEADY_SECONDS and after and before and after > before:
            energy = (after - before) / answers
        memory = None if measure is None else measure()
        return DeviceObservation((), energy, memory, self._monitor.look())


def conditions_of(observations: Sequence[DeviceObservation]) -> dict[str, Any]:
    """The conditions of the accelerator over all processes of a measurement."""
    return _worst([o.conditions for o in observations if o.conditions])


def device_latency(
    observations: Sequence[DeviceObservation],
) -> tuple[float, Interval | None] | None:
    """The median of the device times of all processes with its interval; None if none has any."""
    times = [np.array(o.times) for o in observations if o.times]
    if not times:
        return None
    return float(np.median(np.concatenate(times))), overall_interval(times)
