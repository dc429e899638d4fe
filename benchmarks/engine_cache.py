"""Benchmark a second run with a cached TensorRT engine against a hand-written program, as a ratio.

    python benchmarks/engine_cache.py /path/to/python/with/tensorrt [CACHE]

Needs an NVIDIA GPU. Both sides load the same engine, in turns. How long turnkey warms up and
measures is decided by the noise, so that the hand-written program (``scripts/trt_engine.py``) does
it for as many seconds as turnkey just did; pauses, in which turnkey waits for other load to pass,
count for us. In a cache that is given, the engine of an earlier call is found. A last run shows
where turnkey's time goes (``stages.py``).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

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
    script = str(HERE / "scripts" / "resnet18.py")
    with tempfile.TemporaryDirectory() as temporary:
        cache = sys.argv[2] if len(sys.argv) > 2 else temporary
        options = ["--device", "nvidia", "--runtime", "trt", "--python", f"trt={python}"]
        options += ["--cache-dir", cache]
        turnkey = [sys.executable, "-m", "turnkeyml"]
        if not any(Path(cache).glob("*/engines/*.engine")):
            first, _ = run([*turnkey, script, *options])
            print(f"first run, with compiling: {first:.1f} s", flush=True)
        (engine,) = Path(cache).glob("*/engines/*.engine")
        by_hand = [python, str(HERE / "scripts" / "trt_engine.py"), str(engine)]
        ratios = []
        again = ["cache", "benchmark", "--all", *options]
        for _ in range(ROUNDS):
            taken, _ = run([*turnkey, *again])
            warm, timed, paused = seconds_of(Path(cache))
            hand, printed = run([*by_hand, str(timed), str(warm)])
            ratios.append(taken / hand)
            print(
                f"{taken:6.2f} s, {warm:.2f} of them warming up, {timed:.2f} timed and "
                f"{paused:.2f} paused; by hand {hand:6.2f} s: {printed.strip()}",
                flush=True,
            )
        _, shown = run([sys.executable, str(HERE / "stages.py"), *again])
    print(shown)
    ratio = statistics.median(ratios)
    mark = "ok  " if ratio <= LIMIT else "OVER"
    print(f"{mark}  second run of the build / hand-written {ratio:.2f} (at most {LIMIT})")


def seconds_of(cache: Path) -> tuple[float, float, float]:
    """For how many seconds the last evaluation warmed up, timed runs, and paused."""
    (stats,) = cache.glob("*/turnkey_stats.yaml")
    row = yaml.safe_load(stats.read_text())["evaluations"][-1]
    with np.load(stats.parent / row["samples_file"]) as samples:
        warm = float(samples["warmup"].sum()) / 1e9
    numbers = row["performance"]
    return warm, numbers["wall_seconds"], numbers["paused_seconds"]


if __name__ == "__main__":
    main()
