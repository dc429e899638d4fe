"""Our device time and host time beside those of hand-written loops, on an NVIDIA GPU.

    python benchmarks/nvidia.py [--models resnet50 …] [--runtimes trt ort torch-eager …]
                                [--trt-python PATH] [--rounds N] [--json FILE]
                                [--folder FOLDER] [--prepare]

Every model has random weights in fp16. For each model and runtime our session and a loop that was
written by hand for the same runtime take turns: a slice of ours, a slice of the loop's, and so on,
first host time (inputs to the GPU, inference, outputs back, one synchronisation) and then device
time (events around the inference). Each has a process of its own (``nvidia_sides.py``), as users of
either would: what one of them compiles, allocates or chooses does not reach the other. The threads
that start the work of both are on one processor, as those of a virtual machine differ in speed.
Where the host is the slower one, the same program differs by some per cent from process to process,
so that there are four pairs of them, in every other one of which the loop begins.

What is printed are the medians and the ratio of ours to the loop's: the mean of the pairs' medians
over their rounds, and the lowest and highest of these. Limits are 3% for host time and 2% for
device time.

``--prepare`` only exports and compiles, several models at a time, into the folder, which a later
call without it finds there.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
SIDES = Path(__file__).resolve().parent / "nvidia_sides.py"
NAMES = ("resnet50", "bert-base", "vit-base", "whisper-tiny", "unet", "decoder-1b")
RUNTIMES = ("trt", "ort", "torch-eager", "torch-compiled")
GROUPS = (("ort",), ("torch-eager", "torch-compiled"), ("trt",))
OURS, LOOP = "ours", "loop"
LIMITS = {"host": 0.03, "device": 0.02}
PAIRS = 4
SLICE_MILLISECONDS = 20.0
LEAST, MOST = 3, 100
"""Runs in a slice."""
READY = ".ready"
"""The ending of the files in a model's folder that say what is exported and compiled."""
START = """
import runpy, sys
sys.path.append({path!r})
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Another interpreter may be a script that sets its own PYTHONPATH."""


class SideFailed(Exception):
    """A side could not do what it was asked for."""


class Side:
    """A process that opens one runtime after the other, and times runs on demand."""

    def __init__(self, python: str, side: str, model: str, folder: Path, runtime: str = "") -> None:
        own = python == sys.executable
        known = os.environ.get("PYTHONPATH", "") if own else ""  # others have other packages
        path = os.pathsep.join(filter(None, [str(ROOT / "src"), known]))
        self._errors: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            [
                *(python, "-c", START.format(path=str(ROOT / "src")), str(SIDES)),
                *(side, model, folder, runtime),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )

    def say(self, **words: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SideFailed(f"exit {self._process.wait()}: {self._last_words()}")
        found = json.loads(line)
        if "failed" in found:
            raise SideFailed(f"{found['failed']} {self._last_words()}".strip())
        return found["answer"]

    def ask(self, **words: Any) -> Any:
        self.say(**words)
        return self.hear()

    def _last_words(self) -> str:
        self._errors.seek(0)
        return " / ".join(self._errors.read().strip().splitlines()[-3:])

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def dismiss(self) -> None:
        """Let the process end, without waiting for it."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def end(self) -> None:
        """End the process, if it has not ended yet."""
        self.dismiss()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


Pair = dict[str, Side]
"""Ours and the loop, in the order in which they were started."""


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(len(options.models)) as pool:
            for line in pool.map(lambda model: _prepare(model, options, folder), options.models):
                print(line, flush=True)
        return 0 if options.prepare else _measure_all(options, folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--runtimes", nargs="+", choices=RUNTIMES, default=RUNTIMES)
    parser.add_argument("--trt-python", default=sys.executable, metavar="PATH")
    parser.add_argument("--rounds", type=int, default=48)
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    parser.add_argument("--folder", help="where exported and compiled models are kept")
    parser.add_argument("--prepare", action="store_true", help="only export and compile")
    return parser.parse_args()


def _prepare(model: str, options: argparse.Namespace, folder: Path) -> str:
    """Export a model and compile what can be kept, unless that was done; a line that says so."""
    place = folder / model
    place.mkdir(exist_ok=True)
    compiled = [r for r in options.runtimes if r == "torch-compiled"]
    trt = [r for r in options.runtimes if r == "trt"]
    said = []
    for python, words in ((sys.executable, ["export", *compiled]), (options.trt_python, trt)):
        left = [word for word in words if not (place / f"{word}{READY}").exists()]
        if not left:
            continue
        with Side(python, OURS, model, place) as side:
            for word in left:
                try:
                    said.append(side.ask(do="prepare", what=word))
                    (place / f"{word}{READY}").touch()
                except (SideFailed, OSError) as error:
                    said.append(f"{word} failed: {error}")
    return f"{model}: {'; '.join(said) or 'prepared before'}"


def _measure_all(options: argparse.Namespace, folder: Path) -> int:
    rows = []
    print(f"{'model':<14} {'runtime':<15} {'time':<7} {'ours (ms)':>10} {'loop (ms)':>10}  ratio")
    for model in options.models:
        for row in _measure(model, options, folder / model):
            rows.append(row)
            _print(row)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    bad = [row for row in rows if not _is_good(row)]
    print(f"{len(rows) - len(bad)} of {len(rows)} within their limits.")
    return 1 if bad or not rows else 0


def _measure(model: str, options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of a model. A process has the runtimes of one library alone; the processes of a
    library begin with their imports at once."""
    for group in filter(None, ([r for r in options.runtimes if r in group] for group in GROUPS)):
        python = options.trt_python if "trt" in group else sys.executable
        with ExitStack() as stack:
            pairs = []
            for number in range(PAIRS):
                order = (OURS, LOOP)[:: -1 if number % 2 else 1]
                started = {s: Side(python, s, model, folder, group[0]) for s in order}
                pairs.append({s: stack.enter_context(started[s]) for s in order})
            for number, runtime in enumerate(group):
                row = {"model": model, "runtime": runtime}
                try:
                    if number:
                        _ask_together(pairs, do="forget")
                    yield {**row, **_in_turns(pairs, runtime, options.rounds)}
                except (SideFailed, OSError) as error:
                    yield {**row, "failed": str(error)}
            for pair in pairs:
                for side in pair.values():
                    side.dismiss()


def _in_turns(pairs: list[Pair], runtime: str, rounds: int) -> dict[str, Any]:
    """The medians and ratios of a runtime."""
    _ask_together(pairs, do="make", runtime=runtime)
    if runtime == "ort":  # one after the other, as they time kernels
        for pair in pairs:
            for side in pair.values():
                side.ask(do="open", runtime=runtime)
    else:
        _ask_together(pairs, do="open", runtime=runtime)
    times = {kind: _summary(_rounds(pairs, kind, rounds)) for kind in LIMITS}
    return {f"{kind}_{name}": v for kind, found in times.items() for name, v in found.items()}


def _ask_together(pairs: list[Pair], **words: Any) -> None:
    sides = [side for pair in pairs for side in pair.values()]
    for side in sides:
        side.say(**words)
    failures = []
    for side in sides:  # hear all, whatever the first one says
        try:
            side.hear()
        except SideFailed as error:
            failures.append(error)
    if failures:
        raise failures[0]


def _rounds(pairs: list[Pair], kind: str, rounds: int) -> list[list[tuple[float, float]]]:
    """For each pair milliseconds of ours and of the loop in each round; who begins alternates."""
    for pair in pairs:
        for side in pair.values():
            one = side.ask(do="warm_up", kind=kind)
    runs = int(min(MOST, max(LEAST, SLICE_MILLISECONDS / one)))
    found: list[list[tuple[float, float]]] = [[] for _ in pairs]
    for number in range(rounds):
        pair = pairs[number % len(pairs)]
        order = (OURS, LOOP)[:: -1 if number // len(pairs) % 2 else 1]
        times = {name: pair[name].ask(do="take", kind=kind, runs=runs) for name in order}
        found[number % len(pairs)].append((times[OURS], times[LOOP]))
    return found


def _summary(found: list[list[tuple[float, float]]]) -> dict[str, float]:
    ratios = [statistics.median(ours / loop for ours, loop in rounds) for rounds in found]
    return {
        "ours": statistics.median(ours for rounds in found for ours, _ in rounds),
        "loop": statistics.median(loop for rounds in found for _, loop in rounds),
        "ratio": statistics.mean(ratios),
        "low": min(ratios),
        "high": max(ratios),
    }


def _print(row: dict[str, Any]) -> None:
    if "failed" in row:
        print(f"{row['model']:<14} {row['runtime']:<15} failed: {row['failed']}", flush=True)
        return
    for kind, limit in LIMITS.items():
        names = ("ours", "loop", "ratio", "low", "high")
        ours, loop, ratio, low, high = (row[f"{kind}_{what}"] for what in names)
        verdict = "" if abs(ratio - 1) <= limit else f"  beyond {limit:.0%}"
        print(
            f"{row['model']:<14} {row['runtime']:<15} {kind:<7} {ours:>10.4f} {loop:>10.4f}  "
            f"{ratio:.4f} ({low:.3f} to {high:.3f}){verdict}",
            flush=True,
        )


def _is_good(row: dict[str, Any]) -> bool:
    return "failed" not in row and all(
        abs(row[f"{kind}_ratio"] - 1) <= limit for kind, limit in LIMITS.items()
    )


if __name__ == "__main__":
    sys.exit(main())
