"""What ``survival.py`` attacks: small models, a cache of them, trees of processes, and checks."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import psutil
from onnx import TensorProto, helper, numpy_helper

from turnkeyml.cache import build_folders, damages, read_history, read_yaml
from turnkeyml.cli.entry import _run

__all__ = ["Row", "Tree", "check_cache", "make_library", "results_in", "write_models"]

SOURCE = Path(__file__).parent / "survival_preload.c"

TAG = "TURNKEY_SURVIVAL"
"""An environment variable that all processes of a tree inherit."""
GRACE = 20.0
"""Seconds that the processes of a tree have to end after its first one."""


@dataclass
class Row:
    """One line of the table."""

    test: str
    tried: int = 0
    survived: int = 0
    lost: int = 0
    hung: int = 0
    findings: list[str] = field(default_factory=list)

    def add(self, problems: Sequence[str], hung: bool = False, count: int = 1) -> None:
        """Count one attack, or several that were checked together."""
        self.tried += count
        bad = min(count, max(1, len(problems))) if problems or hung else 0
        self.survived += count - bad
        self.hung += bad if hung else 0
        self.lost += 0 if hung else bad
        for problem in problems:
            self.findings.append(problem)
            print(f"  ! {self.test}: {problem}", flush=True)


def write_models(folder: Path, onnx_files: int, scripts: int) -> list[Path]:
    """Models that take milliseconds: ONNX files of one product, scripts with one layer."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(onnx_files):
        path = folder / f"product{number}.onnx"
        write_product(path, number + 1)
        paths.append(path)
    for number in range(scripts):
        path = folder / f"layer{number}.py"
        path.write_text(
            f"import torch\ntorch.nn.Linear({number + 5}, 3)(torch.rand(2, {number + 5}))\n"
        )
        paths.append(path)
    return paths


def write_product(path: Path, factor: float) -> None:
    """An ONNX file with one product."""
    weight = numpy_helper.from_array(np.full((4, 3), factor, np.float32), "w")
    tensor = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [tensor("x", TensorProto.FLOAT, [2, 4])],
        [tensor("y", TensorProto.FLOAT, [2, 3])],
        [weight],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), str(path))


def make_library(folder: Path) -> Path:
    """The library that makes writes fail and clocks jump in the processes that preload it."""
    library = folder / "preload.so"
    words = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(words, check=True)
    return library


def command(*words: object) -> list[str]:
    """A command line of turnkey."""
    return [sys.executable, "-m", "turnkeyml", *map(str, words)]


class Tree:
    """A run with all its processes; none may be left when it is over."""

    def __init__(self, words: Sequence[object], env: dict[str, str] | None = None) -> None:
        self.words = [str(word) for word in words]
        self.tag = uuid.uuid4().hex
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the object
        self._popen = subprocess.Popen(
            command(*words),
            stdout=self._output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **(env or {}), TAG: self.tag},
        )

    @property
    def status(self) -> int | None:
        """The exit status of the first process; None as long as it runs."""
        return self._popen.poll()

    def processes(self) -> list[tuple[str, psutil.Process]]:
        """All its processes with their roles, the first one first."""
        try:
            first = psutil.Process(self._popen.pid)
        except psutil.NoSuchProcess:
            return []
        found = [("parent", first)]
        level = [first]
        for role in ("zygote", "child", "worker", "worker", "worker"):
            below = []
            for process in level:
                with contextlib.suppress(psutil.Error):
                    below += process.children()
            found += [(role, process) for process in below]
            level = below
        return found

    def wait(self, seconds: float) -> bool:
        """Wait for its first process; whether it ended in time."""
        try:
            self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def leftovers(self, grace: float = GRACE) -> list[int]:
        """The processes that are still there some time after the first one has ended."""
        end = time.monotonic() + grace
        while (found := self._tagged()) and time.monotonic() < end:
            time.sleep(0.1)
        return found

    def _tagged(self) -> list[int]:
        found = []
        wanted = f"{TAG}={self.tag}".encode()
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                with contextlib.suppress(OSError):
                    if wanted in Path(f"/proc/{name}/environ").read_bytes():
                        found.append(int(name))
        return found

    def describe(self) -> str:
        """Each process with its state and what it waits for, to explain a hang."""
        lines = []
        for number in self._tagged():
            with contextlib.suppress(psutil.Error, OSError):
                process = psutil.Process(number)
                waits = Path(f"/proc/{number}/wchan").read_text()
                lines.append(f"{number}<{process.ppid()} {process.status()} {waits}")
        return "; ".join(lines)

    def end(self) -> None:
        """Kill whatever is left of it."""
        for number in self._tagged():
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, 9)
        self._popen.wait()

    def output(self) -> str:
        """What it has printed so far."""
        self._output.seek(0)
        return self._output.read().decode("utf-8", "replace")


def results_in(cache: Path) -> set[tuple[str, ...]]:
    """Every measurement that a cache has, from the stats and the histories of its builds.

    As they are written: while a build's process is dead and its end not yet recorded, a reader
    makes up a failed measurement, which the recorded end replaces.
    """
    found = set()
    for folder in build_folders(cache):
        rows = (read_yaml(folder.stats) or {}).get(
            "evaluations"
        ) or []  # before the history, which grows first
        for row in [*rows, *read_history(folder)]:
            if isinstance(row, dict):
                numbers = row.get("performance") or {}
                keys = ("device_type", "runtime", "precision", "measured_at", "status")
                words = [str(row.get(key)) for key in keys]
                found.add((folder.name, *words, str(numbers.get("mean_latency"))))
    return found


def run_here(*words: object) -> tuple[int, str]:
    """Run a light command in this process: its exit status and what it printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = _run([str(word) for word in words], "turnkey")
    return status, out.getvalue()


def check_cache(cache: Path, here: bool = True, whole: bool = True) -> list[str]:
    """What is wrong with a cache, in sentences: commands that fail, files that are damaged."""
    problems = []
    runner: Callable[..., tuple[int, str]] = run_here if here else _run_apart
    names = [folder.name for folder in build_folders(cache)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.csv"
        commands: list[list[object]] = [
            ["cache", "list", "-d", cache],
            ["cache", "report", "-d", cache, "-o", report],
            *([["cache", "stats", names[0], "-d", cache]] if names else []),
        ]
        for words in commands:
            try:
                status, printed = runner(*words)
            except Exception as error:  # noqa: BLE001 - what a user would see as a traceback
                problems.append(f"{' '.join(map(str, words[:2]))} raised {error!r}")
                continue
            gone = words[1] == "stats" and not (cache / names[0]).exists()
            if (status and not gone) or "Traceback" in printed:
                problems.append(f"{' '.join(map(str, words[:2]))}: exit {status}: {printed[-200:]}")
            elif "Warning: " in printed and whole:
                problems.append(f"{' '.join(map(str, words[:2]))}: {printed[-200:]}")
        if report.exists():
            with report.open(newline="", encoding="utf-8") as file:
                list(csv.DictReader(file))
    if whole:
        problems += [f"damaged: {told}" for f in build_folders(cache) for told in damages(f)]
        problems += [f"half written: {path}" for path in _half_written(cache)]
    return problems


def _run_apart(*words: object) -> tuple[int, str]:
    done = subprocess.run(command(*words), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def _half_written(cache: Path) -> Iterator[Path]:
    """Files that have their final name and cannot be what it says."""
    for path in cache.rglob("*.json"):
        if not path.name.startswith(".writing-"):
            try:
                json.loads(path.read_text())
            except FileNotFoundError:
                continue
            except ValueError:
                yield path
