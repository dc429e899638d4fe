"""Four identical runs on one cache, which is listed, reported and deleted all the while.

    python benchmarks/shared_cache.py [REPETITIONS] [--seconds 240] [--onnx]

The runs come to their two models at different times, so that each soon waits for a build that
another one uses. All must end within so many seconds, and no command may fail; builds that are in
use cannot be deleted, which is no failure. With ``--onnx`` the models are in ONNX files instead of
scripts, which needs no torch and a fraction of the time. With TURNKEY_LOCK_LOG, a lock that is
taken out of order is a failure too. The last line has the number of repetitions in which all of
this held.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

TURNKEY = (sys.executable, "-m", "turnkeyml")
SCRIPT = """
import os, time, torch
time.sleep(float(os.environ["DELAY_{number}"]))
torch.manual_seed(0)
model = torch.nn.Linear({size}, 3)
model(torch.ones(1, {size}))
"""
SIZES = {1: 4, 2: 5}
RUNS = 4
BESIDE = (
    ("cache", "list"),
    ("cache", "report", "-o", "report.csv"),
    ("cache", "delete", "--all", "--yes"),
)
PAUSE_SECONDS = 1.0
"""Between two of the same kind, so that the runs have most of the machine."""
IN_USE = 1
"""The exit status of ``cache delete`` if a build is in use."""


def start(folder: Path, name: str, *words: str, **variables: str) -> subprocess.Popen[bytes]:
    """Start a command of turnkey in a folder; what it prints goes to a file there."""
    with (folder / f"{name}.txt").open("wb") as output:
        return subprocess.Popen(
            [*TURNKEY, *words],
            cwd=folder,
            env={**os.environ, "TURNKEY_CACHE_DIR": str(folder / "cache"), **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


class Beside(threading.Thread):
    """Repeats a command until it is told to stop."""

    def __init__(self, folder: Path, words: tuple[str, ...]) -> None:
        super().__init__()
        self._folder, self._words = folder, words
        self._over = threading.Event()
        self.problems: list[str] = []
        self.times = 0

    def run(self) -> None:
        name = self._words[1]
        while not self._over.wait(PAUSE_SECONDS):
            code = start(self._folder, name, *self._words).wait()
            text = (self._folder / f"{name}.txt").read_text(errors="replace")
            allowed = code == 0 or (name == "delete" and code == IN_USE)
            if "Traceback" in text or not (allowed or "no build" in text.lower()):
                self.problems.append(f"{name} ended with {code}: {text.strip()[-600:]}")
            self.times += 1

    def stop(self) -> None:
        self._over.set()
        self.join()


def write_scripts(folder: Path) -> tuple[str, ...]:
    """Write a script for each model; their names."""
    for number, size in SIZES.items():
        (folder / f"m{number}.py").write_text(SCRIPT.format(number=number, size=size))
    return tuple(f"m{number}.py" for number in SIZES)


def write_onnx(folder: Path) -> tuple[str, ...]:
    """Write an ONNX file for each model; their names."""
    import numpy as np
    import onnx

    for number, size in SIZES.items():
        text = f'<ir_version: 8, opset_import: ["": 18]> g (float[1,{size}] x) => (float[1,3] y)'
        model = onnx.parser.parse_model(f"{text} {{ y = MatMul(x, w) }}")
        weights = np.linspace(-1, 1, 3 * size, dtype=np.float32).reshape(size, 3)
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
        onnx.save(model, folder / f"m{number}.onnx")
    return tuple(f"m{number}.onnx" for number in SIZES)


def repeat(
    folder: Path, files: tuple[str, ...], seconds: float
) -> tuple[float, Counter[str], list[str]]:
    """Do it once: the seconds that the runs took, how often each command ran, and what failed."""
    began = time.monotonic()
    words = (*files, "--jobs", "2", "--iterations", "5", "--timeout", f"{seconds:g}")
    runs = {}
    for number in range(RUNS):
        late = str(number % 2 + 1)
        delays = {f"DELAY_{one}": "2" if one == late else "0" for one in "12"}
        runs[f"run-{number}"] = start(folder, f"run-{number}", *words, **delays)
    others = [Beside(folder, words) for words in BESIDE]
    for other in others:
        other.start()
    problems = []
    for name, run in runs.items():
        left = began + seconds - time.monotonic()
        try:
            code = run.wait(max(0.0, left))
            if code != 0:
                text = (folder / f"{name}.txt").read_text(errors="replace")
                problems.append(f"{name} ended with {code}: {text.strip()[-1500:]}")
        except subprocess.TimeoutExpired:
            problems.append(f"{name} did not end in {seconds:g} s")
            run.kill()
            run.wait()
    took = time.monotonic() - began
    for other in others:
        other.stop()
        problems += other.problems
    log = Path(os.environ.get("TURNKEY_LOCK_LOG") or os.devnull)
    if log.exists() and (text := log.read_text()):
        problems.append(f"locks were taken out of order: {text}")
    return took, Counter({o._words[1]: o.times for o in others}), problems


def main() -> int:
    """Repeat it; exit status 1 if anything failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repetitions", type=int, nargs="?", default=1)
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--onnx", action="store_true")
    chosen = parser.parse_args()
    repetitions, seconds = chosen.repetitions, chosen.seconds
    write = write_onnx if chosen.onnx else write_scripts
    longest, good, times = 0.0, 0, Counter[str]()
    for number in range(1, repetitions + 1):
        with tempfile.TemporaryDirectory(prefix="turnkey-shared-") as folder:
            took, ran, problems = repeat(Path(folder), write(Path(folder)), seconds)
        longest, good, times = max(longest, took), good + (not problems), times + ran
        print(f"{number}: {took:.1f} s{''.join(f'; {one}' for one in problems)}", flush=True)
    beside = ", ".join(f"{name} {count} times" for name, count in times.items())
    print(
        f"{good} of {repetitions} ended well, the longest after {longest:.1f} s; beside: {beside}"
    )
    return 0 if good == repetitions else 1


if __name__ == "__main__":
    sys.exit(main())
