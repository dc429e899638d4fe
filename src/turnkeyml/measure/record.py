"""Running one measurement and keeping what it found, in whichever process that happens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from turnkeyml.cache.files import replacing, write_json
from turnkeyml.measure.sampler import Rule, Samples, sample
from turnkeyml.measure.statistics import summarize
from turnkeyml.records import Evaluation, from_dict, to_dict
from turnkeyml.runtimes import machine
from turnkeyml.runtimes.registry import Device, Runtime

if TYPE_CHECKING:
    from turnkeyml.runtimes.session import Session

__all__ = ["Measured", "Task", "failed", "measure", "read_evaluation"]


@dataclass(frozen=True)
class Measured:
    """An evaluation with what the model computed in the process that measured it."""

    evaluation: Evaluation
    outputs: dict[str, np.ndarray]


@dataclass(frozen=True)
class Task:
    """How a session is to be measured, and where the result goes."""

    device: Device
    runtime: Runtime
    threads: int
    rule: Rule
    folder: Path
    on_estimate: Callable[[float], None] | None = None


def measure(open_session: Callable[[], Session], task: Task) -> Measured:
    """Load, run once, warm up, time; the record and the raw samples go to the task's folder."""
    machine.reset_peak_memory()
    begin = time.perf_counter()
    session = open_session()
    load_seconds = time.perf_counter() - begin
    load_peak = machine.peak_memory_bytes()
    machine.reset_peak_memory()
    outputs = session.outputs()
    samples = sample(session, task.rule, task.on_estimate)
    where = {
        "device": task.device.describe(),
        "device_type": task.device.name,
        "runtime": task.runtime.name,
        "runtime_version": str(task.runtime.load().version()),
    }
    evaluation = Evaluation(
        **where,
        measured_at=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        load_seconds=load_seconds,
        load_peak_memory_bytes=load_peak,
        peak_memory_bytes=machine.peak_memory_bytes(),
        performance=replace(summarize(samples), threads=task.threads, **where),  # type: ignore[arg-type]
    )
    _save(task.folder, samples, evaluation)
    return Measured(evaluation, outputs)


def failed(device: Device, runtime: Runtime, reason: str) -> Evaluation:
    """The record of a measurement that did not come about."""
    return Evaluation(device.name, device.describe(), runtime.name, status="failed", reason=reason)


def read_evaluation(folder: Path) -> Evaluation:
    """The record that a measurement left in its folder."""
    return from_dict(Evaluation, json.loads((folder / "evaluation.json").read_text("utf-8")))


def _save(folder: Path, samples: Samples, evaluation: Evaluation) -> None:
    for name, array in (("samples", samples.timed), ("warmup", samples.warmup)):
        with replacing(folder / f"{name}.npy") as temporary:
            np.save(temporary, array)
    write_json(folder / "evaluation.json", to_dict(evaluation))
