"""Benchmark runs over many inputs: their cost, and whether they survive being killed.

    python benchmarks/corpus.py [throughput jobs kills cache]

throughput  100 small scripts in one run, compared with one run per script
jobs        medians with --jobs 2, compared with --jobs 1 in turns
kills       a run that is killed 20 times at random and resumed: does every row appear once?
cache       `cache list` (also as a table, for the first time and again) and `cache report` on
            10,000 builds, compared with parsing the files
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import yaml

HERE = Path(__file__).parent
TURNKEY = str(Path(sys.executable).with_name("turnkey"))
RESNET, BERT = HERE / "scripts" / "resnet18.py", HERE / "scripts" / "bert.py"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

SCRIPT = """import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear({n}, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
model(torch.rand(3, {n}))
"""


def show(what: str, value: float, limit: float, detail: str, at_least: bool = False) -> None:
    good = value >= limit if at_least else value <= limit
    bound = "at least" if at_least else "at most"
    mark = "ok  " if good else "OVER"
    print(f"{mark}  {what:<56} {value:7.3f}  ({bound} {limit:.3g})   {detail}", flush=True)


def write_scripts(folder: Path, count: int) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        path = folder / f"script_{number:03}.py"
        path.write_text(SCRIPT.format(n=number + 2))
        paths.append(str(path))
    return paths


def throughput(folder: Path) -> None:
    scripts = write_scripts(folder / "hundred", 100)
    few = [
        seconds([TURNKEY, script, "--iterations", "20", "-d", str(folder / "single")])
        for script in scripts[:10]
    ]
    one = statistics.median(few)
    peaks = {}
    for count in (20, 100):
        command = [TURNKEY, *scripts[:count], "--iterations", "20", "--jobs", "2"]
        begin = time.perf_counter()
        peaks[count] = own_peak([*command, "-d", str(folder / f"corpus-{count}")])
        each = (time.perf_counter() - begin) / count
    detail = f"{60 / each:.0f} per minute, {60 / one:.0f} with one run per script"
    show("100 small scripts: rate / one run per script", one / each, 3, detail, at_least=True)
    detail = f"{peaks[100] / 1e6:.1f} MB for 100 inputs, {peaks[20] / 1e6:.1f} MB for 20"
    show("peak memory of the parent: 100 / 20 inputs", peaks[100] / peaks[20], 1.05, detail)


def seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, **QUIET)
    return time.perf_counter() - begin


def own_peak(command: list[str]) -> int:
    """The peak memory of a command in bytes, without its child processes."""
    process = subprocess.Popen(command, **QUIET)
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(psutil.Error):
            peak = max(peak, psutil.Process(process.pid).memory_info().rss)
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:3])} … failed")
    return peak


def jobs(folder: Path) -> None:
    found: dict[tuple[int, str], list[float]] = {}
    for number in range(6):
        for count in (1, 2) if number % 2 else (2, 1):
            cache = folder / "jobs"
            command = [TURNKEY, str(RESNET), str(BERT), "--jobs", str(count), "--json"]
            command += ["--iterations", "40"]
            done = subprocess.run(
                [*command, "-d", str(cache)], capture_output=True, text=True, check=True
            )
            for result in json.loads(done.stdout)["results"]:
                name = Path(result["input"]["path"]).stem
                performance = result["invocations"][0]["evaluations"][0]["performance"]
                found.setdefault((count, name), []).append(performance["median_latency"])
    for name in ("resnet18", "bert"):
        one, two = (statistics.median(found[count, name]) for count in (1, 2))
        detail = f"{two:.2f} ms against {one:.2f} ms, 6 runs each"
        show(f"{name}: |median with --jobs 2 / --jobs 1 - 1|", abs(two / one - 1), 0.03, detail)


def kills(folder: Path, times: int = 20) -> None:
    """Kill and resume a run of 30 inputs, and check that every row appears once."""
    scripts = write_scripts(folder / "killed", 30)
    cache, temporary = folder / "killed-cache", folder / "killed-tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [TURNKEY, *scripts, "--iterations", "5", "--jobs", "2", "-d", str(cache)]
    touched = orphans = 0
    rng = random.Random(0)
    for _ in range(times):
        before = journal(cache)
        process = subprocess.Popen([*command, "--resume"], env=environment, **QUIET)
        time.sleep(rng.uniform(0.5, 8))
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(2)
        orphans += len(alive(str(folder / "killed")))
        after = journal(cache)
        touched += sum(after.get(name) != data for name, data in before.items())
    done = subprocess.run(
        [*command, "--resume", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    rows = [r["input"]["path"] for r in json.loads(done.stdout)["results"]]
    left = [*temporary.glob("turnkey-*"), *cache.rglob(".writing-*"), *cache.rglob(".work-*")]
    detail = f"{len(rows)} rows, {len(set(rows))} different"
    show(
        "missing or duplicate rows",
        len(scripts) - len(set(rows)) + len(rows) - len(set(rows)),
        0,
        detail,
    )
    show("finished rows that changed", touched, 0, f"{times} kills")
    show("processes left after a kill", orphans, 0, f"{times} kills")
    show("temporary files left at the end", len(left), 0, ", ".join(map(str, left[:3])))


def journal(cache: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (cache / ".runs").glob("*.json")}


def alive(word: str) -> list[int]:
    return [
        p.pid
        for p in psutil.process_iter(["cmdline"])
        if word in " ".join(p.info["cmdline"] or []) and p.pid != os.getpid()
    ]


def cache(folder: Path, count: int = 10_000) -> None:
    script = write_scripts(folder / "one", 1)[0]
    seed = folder / "seed"
    subprocess.run([TURNKEY, script, "--iterations", "5", "-d", str(seed)], check=True, **QUIET)
    (build,) = seed.glob("script_*")
    large = folder / "large"
    stats, state = build / "turnkey_stats.yaml", build / f"{build.name}_state.yaml"
    for number in range(count):
        target = large / f"script_{number:08x}"
        target.mkdir(parents=True)
        shutil.copy(stats, target / stats.name)
        shutil.copy(state, target / f"{target.name}_state.yaml")
    floor = floor_seconds(large)
    for what in ("for the first time", "again"):
        taken = seconds_in_terminal([TURNKEY, "cache", "list", "-d", str(large)])
        detail = f"{taken:.1f} s against {floor:.1f} s"
        show(f"cache list as a table {what} / reading and parsing", taken / floor, 5, detail)
    for name, words in (("list", []), ("report", ["-r", str(folder)])):
        begin = time.perf_counter()
        peak = own_peak([TURNKEY, "cache", name, "-d", str(large), *words])
        taken = time.perf_counter() - begin
        detail = f"{taken:.1f} s against {floor:.1f} s; memory {peak / 1e6:.0f} MB"
        show(f"cache {name} on {count} builds / reading and parsing", taken / floor, 5, detail)


def seconds_in_terminal(command: list[str]) -> float:
    """The seconds that a command takes whose output is a terminal."""
    ours, theirs = pty.openpty()
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs)
    os.close(theirs)
    with contextlib.suppress(OSError):  # Linux says so when the other end is closed
        while os.read(ours, 65536):
            pass
    process.wait()
    os.close(ours)
    return time.perf_counter() - begin


def floor_seconds(large: Path) -> float:
    """The seconds to read and parse the stats of every build with plain Python."""
    begin = time.perf_counter()
    for path in large.glob("*/turnkey_stats.yaml"):
        yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
    return time.perf_counter() - begin


def main() -> None:
    parts: dict[str, Callable[[Path], None]] = {
        "throughput": throughput,
        "jobs": jobs,
        "kills": kills,
        "cache": cache,
    }
    with tempfile.TemporaryDirectory(prefix="turnkey-bench-") as folder:
        for name in sys.argv[1:] or list(parts):
            parts[name](Path(folder))


if __name__ == "__main__":
    main()
