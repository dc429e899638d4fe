"""Benchmark a second run with a cached TensorRT engine against a hand-written program, as a ratio.

    python benchmarks/engine_cache.py /path/to/python/with/tensorrt [SCRIPT]

Needs an NVIDIA GPU. Both sides load the same engine, in turns. How long turnkey measures is decided
by the noise, so that the hand-written program (``scripts/trt_engine.py``) measures for as many
seconds as turnkey just did; pauses, in which turnkey waits for other load to pass, count for us.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

HERE = Path(__file__).parent
LIMIT = 1.3
ROUNDS = 2


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
        by_hand = [python, str(HERE / "scripts" / "trt_engine.py"), str(engine)]
        commands = {
            "again": [*turnkey, "cache", "benchmark", "--all", *options],
            "whole": [*turnkey, script, *options],
        }
        ratios: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken, _ = run(command)
                timed, paused = timed_seconds(Path(cache))
                hand, printed = run([*by_hand, str(timed)])
                ratios[name].append(taken / hand)
                print(
                    f"{name:<6} {taken:6.2f} s, {timed:.2f} of them timed and {paused:.2f} paused; "
                    f"by hand {hand:6.2f} s: {printed.strip()}",
                    flush=True,
                )
    again, whole = (statistics.median(ratios[name]) for name in commands)
    mark = "ok  " if again <= LIMIT else "OVER"
    print(f"first run, with compiling: {first:.1f} s")
    print(f"{mark}  second run of the build / hand-written {again:.2f} (at most {LIMIT})")
    print(f"      the same with its script, which imports torch {whole:.2f}")


def timed_seconds(cache: Path) -> tuple[float, float]:
    """For how many seconds the last evaluation timed runs, and for how many it paused."""
    (stats,) = cache.glob("*/turnkey_stats.yaml")
    rows = yaml.safe_load(stats.read_text())["evaluations"]
    numbers = rows[-1]["performance"]
    return numbers["wall_seconds"], numbers["paused_seconds"]


if __name__ == "__main__":
    main()
