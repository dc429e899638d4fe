"""Benchmark a second run with a cached TensorRT engine against a hand-written program, as a ratio.

    python benchmarks/engine_cache.py /path/to/python/with/tensorrt [SCRIPT]

Needs an NVIDIA GPU. Both sides load the same engine and measure for as long, in turns; the
hand-written program is ``scripts/trt_engine.py``.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
LIMIT = 1.3
ROUNDS = 3


def run(command: list[str]) -> tuple[float, str]:
    """The seconds that a command takes, and what it prints."""
    begin = time.perf_counter()
    done = subprocess.run(
        command,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return time.perf_counter() - begin, done.stdout


def main() -> None:
    python = sys.argv[1]
    script = sys.argv[2] if len(sys.argv) > 2 else str(HERE / "scripts" / "resnet18.py")
    with tempfile.TemporaryDirectory() as cache:
        options = ["--device", "nvidia", "--runtime", "trt", "--python", f"trt={python}"]
        options += ["--cache-dir", cache]
        turnkey = [sys.executable, "-m", "turnkeyml"]
        first, _ = run([*turnkey, script, *options])
        (engine,) = Path(cache).glob("*/engines/*.engine")
        commands = {
            "hand": [python, str(HERE / "scripts" / "trt_engine.py"), str(engine)],
            "again": [*turnkey, "cache", "benchmark", "--all", *options],
            "whole": [*turnkey, script, *options],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken, printed = run(command)
                times[name].append(taken)
                print(f"{name:<6} {taken:6.2f} s", flush=True)
        print(run(commands["hand"])[1].strip())
        print(printed)
    hand, again, whole = (statistics.median(times[name]) for name in commands)
    mark = "ok  " if again / hand <= LIMIT else "OVER"
    print(f"first run, with compiling: {first:.1f} s")
    print(f"{mark}  second run of the build / hand-written {again / hand:.2f} (at most {LIMIT})")
    print(f"      the same with its script, which imports torch {whole / hand:.2f}")


if __name__ == "__main__":
    main()
