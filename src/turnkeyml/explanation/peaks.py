"""What this machine can do with so many threads: measured once, kept in the cache."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml import interpreter
from turnkeyml.cache.files import read_json, write_json
from turnkeyml.cache.layout import peaks_file
from turnkeyml.explanation.disturbance import best_of, is_disturbed, watched
from turnkeyml.explanation.matrix_product import ACCELERATED, LIBRARIES
from turnkeyml.explanation.words import counted
from turnkeyml.nouns import DamagedRecord, from_dict, to_dict
from turnkeyml.nouns.explanations import Peaks
from turnkeyml.system import machine

__all__ = ["bandwidth", "measure_peaks", "peaks_of"]

Tell = Callable[[str], None]
SECONDS = 120
"""The most that a child may take."""


def peaks_of(
    cache_dir: Path, threads: int, accelerator: str = "", remeasure: bool = False, *, tell: Tell
) -> Peaks:
    """The peaks with so many threads, measured now if the cache does not have them.

    Those of a busy machine are measured again the next time, and the faster figures are kept.
    ``accelerator`` is the name of the GPU; the peaks are then its own.
    """
    name = accelerator or machine.cpu_name()
    threads = min(threads, len(machine.allowed_processors()))
    path = peaks_file(cache_dir, f"{name}-{threads}")
    kept = None if remeasure else _read(path)
    if kept is not None and not is_disturbed(kept):
        return kept
    tell(f"Measuring the peaks of this machine with {counted(threads, 'thread')} (kept for later)")
    found = watched(lambda: measure_peaks(name, threads, "cuda" if accelerator else "cpu"))
    peaks = best_of(found, kept)
    write_json(path, to_dict(peaks))
    return peaks


def _read(path: Path) -> Peaks | None:
    """The peaks in a file; None if there are none that can be read."""
    try:
        return from_dict(Peaks, read_json(path))
    except (OSError, ValueError, DamagedRecord):
        return None


def measure_peaks(name: str, threads: int, device: str = "cpu") -> Peaks:
    """Matrix products and bandwidths, each in a process of its own, as they may die of it."""
    products: dict[str, dict[str, float]] = {}
    problems: list[str] = []
    for library, (precisions, _) in LIBRARIES.items():
        if device != "cpu" and library not in ACCELERATED:
            continue
        left = list(precisions)
        while left:
            command = [library, str(threads), device, *left]
            done, lines = _child("turnkeyml.explanation.matrix_product", command)
            for precision, speed in lines:
                products.setdefault(precision, {})[library] = speed
            left = left[len(lines) :]
            if left:  # the process has ended in the middle of one
                problems.append(f"The matrix product in {left[0]} with {library} {done}.")
                left = left[1:]
    done, lines = _child("turnkeyml.explanation.bandwidth", [str(threads), device])
    if not lines:
        problems.append(f"The measurement of the memory bandwidth {done}.")
    return Peaks(
        machine=name,
        threads=threads,
        measured_at=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        products=products,
        bandwidths={str(size): speeds for size, speeds in lines},
        problems=tuple(problems),
    )


def _child(module: str, arguments: list[str]) -> tuple[str, list[Any]]:
    """How a child process ended, in words, and the lines of JSON that it printed before."""
    command = interpreter.command(module, *arguments)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
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
