"""Peaks of this machine with so many threads, or of its GPU: measured once, kept in the cache.

Child processes measure them. Peaks of a machine that was busy are measured again the next time.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml import interpreter
from turnkeyml.cache import peaks_file, read_json, write_json
from turnkeyml.explanation.matrix_product import LIBRARIES, ON_ACCELERATOR
from turnkeyml.explanation.quantities import counted
from turnkeyml.nouns import OTHER_SHARE, DamagedRecord, Peaks, from_dict, to_dict
from turnkeyml.system import Reading, allowed_processors, cpu_name, read_activity

Tell = Callable[[str], None]
Products = dict[str, dict[str, float]]
"""Billions of operations per second: by precision, then by library."""
SECONDS = 120
"""The most that a child may take."""
BANDWIDTH = "turnkeyml.explanation.memory_bandwidth"
MATRIX_PRODUCT = "turnkeyml.explanation.matrix_product"
HOW = (
    "Install a PyTorch with CUDA in turnkey's environment and use --remeasure-peaks; the peaks are "
    "kept for all runtimes on this GPU."
)
NO_PRODUCTS = (
    "The matrix products of this GPU are not known, as turnkey's environment has neither a PyTorch "
    f"with CUDA nor onnxruntime-gpu. {HOW}"
)


@dataclass(frozen=True)
class Accelerator:
    """A GPU whose peaks are wanted."""

    name: str
    number: int = 0
    python: str = ""
    """Another interpreter that can use it, where turnkey's own cannot."""

    @property
    def device(self) -> str:
        return f"cuda:{self.number}"


def peaks_of(
    cache_dir: Path,
    threads: int,
    accelerator: Accelerator | None = None,
    remeasure: bool = False,
    *,
    tell: Tell,
) -> Peaks:
    """The peaks with so many threads or of an accelerator, measured now if the cache does not have
    them. Those of an accelerator that nothing here could measure are empty, and not kept.

    Those of a busy machine are measured again the next time, and the faster figures are kept.
    """
    threads = min(threads, len(allowed_processors()))
    key = accelerator.name if accelerator else f"{cpu_name()}-{threads}"
    path = peaks_file(cache_dir, key)
    kept = None if remeasure else _read(path)
    if kept is not None and not is_disturbed(kept):
        return kept
    if accelerator:
        tell(f"Measuring the peaks of the {accelerator.name} (kept for later)")
        found = measure_accelerator(accelerator)
    else:
        where = f"this machine with {counted(threads, 'thread')}"
        tell(f"Measuring the peaks of {where} (kept for later)")
        found = watched(lambda: measure_peaks(cpu_name(), threads))
    peaks = best_of(found, kept)
    if peaks.products or peaks.bandwidths:
        write_json(path, to_dict(peaks))
    return peaks


def _read(path: Path) -> Peaks | None:
    """The peaks in a file; None if there are none that can be read."""
    try:
        return from_dict(Peaks, read_json(path))
    except (OSError, ValueError, DamagedRecord):
        return None


def watched(measure: Callable[[], Peaks]) -> Peaks:
    """The peaks that a function measures in child processes, with what other programs used."""
    before = _reading()
    peaks = measure()
    return replace(peaks, other_cores=before.until(_reading()).other_cores or 0.0)


def _reading() -> Reading:
    """The counters now; the children that have ended are ours."""
    ours, now = os.times(), read_activity()
    return replace(now, own=now.own + ours.children_user + ours.children_system)


def is_disturbed(peaks: Peaks) -> bool:
    """Whether other programs used so much of the machine that the peaks are too low."""
    return peaks.other_cores > OTHER_SHARE * len(allowed_processors())


def best_of(peaks: Peaks, kept: Peaks | None) -> Peaks:
    """The faster one of each figure: a peak is what the machine has been seen to reach."""
    if kept is None:
        return peaks
    return replace(
        peaks,
        products=_faster(peaks.products, kept.products),
        bandwidths=_faster(peaks.bandwidths, kept.bandwidths),
        other_cores=min(peaks.other_cores, kept.other_cores),
    )


def _faster(
    one: dict[str, dict[str, float]], other: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    found = {name: dict(speeds) for name, speeds in one.items()}
    for name, speeds in other.items():
        mine = found.setdefault(name, {})
        for kernel, speed in speeds.items():
            mine[kernel] = max(speed, mine.get(kernel, 0.0))
    return found


def measure_peaks(name: str, threads: int) -> Peaks:
    """Matrix products and bandwidths, each in a process of its own, as they may die of it."""
    products: Products = {}
    problems: list[str] = []
    for library, (precisions, _) in LIBRARIES.items():
        problems += _products(library, precisions, str(threads), "cpu", products)
    done, lines = _child(BANDWIDTH, [str(threads), "cpu"])
    if not lines:
        problems.append(f"The measurement of the memory bandwidth {done}.")
    return _peaks(name, threads, products, lines, problems)


def measure_accelerator(accelerator: Accelerator) -> Peaks:
    """The same of a GPU, with the first library that can use it."""
    products: Products = {}
    problems: list[str] = []
    for library, precisions in ON_ACCELERATOR.items():
        found = _products(library, precisions, "1", accelerator.device, products)
        if products:
            problems += found
            break
    if not products:
        problems.append(NO_PRODUCTS)
    lines: list[Any] = []
    for python in dict.fromkeys(("", accelerator.python)):
        done, lines = _child(BANDWIDTH, ["1", accelerator.device], python)
        if lines:
            break
    if not lines:
        problems.append(f"The measurement of the GPU's memory bandwidth {done}. {HOW}")
    return _peaks(accelerator.name, 0, products, lines, problems)


def _peaks(
    name: str, threads: int, products: Products, lines: list[Any], problems: list[str]
) -> Peaks:
    return Peaks(
        machine=name,
        threads=threads,
        measured_at=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        products=products,
        bandwidths={str(size): speeds for size, speeds in lines},
        problems=tuple(problems),
    )


def _products(
    library: str, precisions: Sequence[str], threads: str, device: str, products: Products
) -> list[str]:
    """Adds the matrix products of a library to the others; returns what went wrong."""
    problems = []
    left = list(precisions)
    while left:
        done, lines = _child(MATRIX_PRODUCT, [library, threads, device, *left])
        for precision, speed in lines:
            products.setdefault(precision, {})[library] = speed
        if device != "cpu" and not products:  # the library cannot use the GPU at all
            return []
        left = left[len(lines) :]
        if left:  # the process has ended in the middle of one
            problems.append(f"The matrix product in {left[0]} with {library} {done}.")
            left = left[1:]
    return problems


def _child(module: str, arguments: list[str], python: str = "") -> tuple[str, list[Any]]:
    """How a child process ended, in words, and the lines of JSON that it printed before."""
    command = interpreter.command(module, *arguments, python=python)
    # Numbers of GPUs are those that nvidia-smi shows.
    numbered = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", **interpreter.surroundings(python)}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            env=numbered,
        )
        ended, text = interpreter.describe_exit(done.returncode), done.stdout
    except subprocess.TimeoutExpired as error:
        ended, text = f"took longer than {SECONDS} s", error.stdout or b""
    return ended, [json.loads(line) for line in text.decode().splitlines() if line.endswith("]")]


def bandwidth(peaks: Peaks, size: float) -> float | None:
    """Gigabytes per second of a working set of so many bytes, between those measured; None if none
    was measured."""
    points = peaks.points()
    if not points:
        return None
    sizes, speeds = zip(*points, strict=True)
    return float(np.interp(np.log(max(size, 1.0)), np.log(sizes), speeds))
