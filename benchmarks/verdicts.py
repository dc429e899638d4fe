"""Is a wrong build ever called a match, or a good one anything else?

    python benchmarks/verdicts.py [--models N] [--quick] [--only NAME] [--precision fp32] [--jobs N]
                                  [--trained]

Small models of every kind of output are built in fp32 and in fp16. Their ONNX files are changed as
bugs would change them (benchmarks/sabotage.py, benchmarks/freeze.py), run with ONNX Runtime, and
judged as the process that measures a build judges it: on the recorded and on the held-out inputs,
by what the build folder holds of the original. The trained models (benchmarks/trained_models.py)
are in fp32 alone, and are left out, with a line for each, where PyPI cannot be reached.

Whether a change matters is decided without the code under test (benchmarks/movement.py): on the
recorded inputs, and for what is frozen, which cannot show there, on inputs of the benchmark's own.
A build that is not called a match untouched is no witness for what is done to it. Builds that match
in parts are counted apart, untouched and sabotaged.

Each build has a process of its own, because ONNX Runtime crashes on some changes. Every line is
printed as it is known, and nothing is written; Ctrl-C prints the tables of what is done.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import itertools
import logging
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # builds at the same time have one core each

import numpy as np
import onnx
import torch
import trained_models
from freeze import FROZEN
from movement import STRICT, TIMES, UNIT, movement
from sabotage import KINDS, sabotages
from verdict_builds import LARGE, SEED, THREADS, Build, File, make, quiet
from verdict_models import Subject, full_size, subjects

from turnkeyml.nouns import Cause, Verdict, Verification

CAUGHT, FALSE_ALARMS = 0.999, 0.005
EACH = ((1 << 20, 4), (LARGE, 2))
"""How many layers are tried for each kind of change, by the bytes of the file and of its inputs; 1
of larger ones."""
MOST_CRASHES = 10
"""Of one build, before the rest of its changes is left out."""
IMPORTED = "onnxscript transformers timm torchvision torch_geometric.nn diffusers"
"""What is imported before a process is forked, as far as it is installed."""


@dataclass(frozen=True)
class Change:
    """One changed file: whether it matters, and whether it was caught."""

    build: str
    kind: str
    precision: str
    in_parts: bool
    moved: bool
    moved_strictly: bool
    caught: bool
    line: str


@dataclass(frozen=True)
class Remark:
    """What else is to be counted: ``built``, ``in parts``, ``wrong``, ``alarm``, ``left out`` or
    ``refused``."""

    kind: str
    line: str


Tell = Callable[["Change | Remark"], None]


@dataclass(frozen=True)
class Tally:
    """What was counted so far."""

    changes: list[Change] = field(default_factory=list)
    remarks: dict[str, list[str]] = field(default_factory=lambda: collections.defaultdict(list))

    def add(self, told: Change | Remark) -> None:
        if isinstance(told, Remark):
            self.remarks[told.kind].append(told.line)
            if told.kind not in ("built", "refused"):
                print(f"  {told.kind.upper():<8} {told.line}", flush=True)
            return
        self.changes.append(told)
        if told.moved and not told.caught:
            print(f"  MISS     {told.line}", flush=True)

    def counts(self, in_parts: bool, kind: str = "", precision: str = "") -> tuple[int, int, int]:
        """Changes that were tried, that matter, and that were caught of these."""
        found = [
            c
            for c in self.changes
            if c.in_parts == in_parts and kind in ("", c.kind) and precision in ("", c.precision)
        ]
        moved = [c for c in found if c.moved]
        return len(found), len(moved), sum(c.caught for c in moved)


def pinned(processors: list[int], *arguments: Any) -> None:
    os.sched_setaffinity(0, processors)
    one(*arguments)


def one(subject: Subject, precision: str, scratch: Path, tell: Tell, done: int) -> None:
    """Build a model, and sabotage the build if it is called a match, but for what is done."""
    try:
        build = make(subject, precision, scratch)
        found = build.verdict
    except Exception as error:  # noqa: BLE001 - what is not installed, or does not build
        reason = str(error).strip().split("\n")[0][:100]
        tell(Remark("left out", f"{subject.name} {precision}: {type(error).__name__}: {reason}"))
        return
    if done:
        examine(build, scratch, tell, done)
        return
    line = f"{build.title}: {found.verdict}: {found.reason}"
    tell(Remark("built", build.title))
    if found.verdict is Verdict.IN_PARTS:
        tell(Remark("in parts", line))
    elif found.verdict is not Verdict.MATCH:
        rightly = found.cause is Cause.HELD_OUT and build.is_wrong_on_others
        tell(Remark("wrong" if rightly else "alarm", line))
        return
    examine(build, scratch, tell, 0)


def examine(build: Build, scratch: Path, tell: Tell, done: int) -> None:
    """Sabotage a build in every way; the first ways are done."""
    model = onnx.load(str(build.path))
    each = next((each for most, each in EACH if build.size < most), 1)
    ways = (
        (kind, what, changed)
        for kind in (*KINDS, *FROZEN)
        for what, changed in sabotages(model, kind, SEED[0], each, build.reference.inputs)
    )
    for kind, what, changed in itertools.islice(ways, done, None):
        path = scratch / "sabotaged.onnx"
        onnx.save(changed, str(path))
        try:
            file = File(path)
            moved = moved_by(build, file, kind)
            verdict = build.judge(file)
        except Exception:  # noqa: BLE001 - then nobody can take it for a good one
            tell(Remark("refused", f"{build.title}: {kind} ({what})"))
            continue
        tell(outcome(build, (kind, what), moved, verdict))


def moved_by(build: Build, file: File, kind: str) -> list[float]:
    """How far a change moves the outputs, with the two units."""
    found = [[0.0, 0.0]]
    for witness in build.others if kind in FROZEN else [build.recorded]:
        try:
            outputs = list(file.run(witness.inputs).values())
        except Exception:
            if kind not in FROZEN:
                raise
            return [np.inf, np.inf]
        units = (of[build.computes_in] for of in (UNIT, STRICT))
        found.append([movement(build.subject, witness, outputs, unit) for unit in units])
    return [max(column) for column in zip(*found, strict=True)]


def outcome(
    build: Build, change: tuple[str, str], moved: list[float], verdict: Verification
) -> Change:
    kind, what = change
    in_parts = build.verdict.verdict is Verdict.IN_PARTS
    by = f"moved {moved[0]:.3g} times the rounding; {verdict.verdict}: {verdict.reason}"
    return Change(
        build.title,
        kind,
        build.precision,
        in_parts,
        moved=moved[0] > TIMES,
        moved_strictly=moved[1] > TIMES,
        caught=not verdict.trusted if in_parts else verdict.verdict is not Verdict.MATCH,
        line=f"{build.title}: {kind} ({what}): {by}; {verdict.held_out} held out",
    )


class Running:
    """A build in a process of its own. A change that crashes is refused, and the rest is tried."""

    def __init__(self, subject: Subject, precision: str, slot: int, slots: int) -> None:
        self.subject, self.precision, self.slot = subject, precision, slot
        ours = sorted(os.sched_getaffinity(0))
        self.processors = ours[slot % len(ours) :: min(slots, len(ours))]
        """Of its own, so that builds at the same time do not wait for each other's threads."""
        self.title = f"{subject.name} {precision}"
        self.begin, self.crashes, self.done = time.perf_counter(), 0, 0
        self.moved = self.caught = 0
        self._start()

    def _start(self) -> None:
        fork = multiprocessing.get_context("fork")
        self.told = 0
        self.receiver, sender = fork.Pipe(duplex=False)
        self.scratch = tempfile.TemporaryDirectory(prefix="turnkey-verdicts-")
        arguments = (self.subject, self.precision, Path(self.scratch.name), sender.send, self.done)
        self.process = fork.Process(target=pinned, args=(self.processors, *arguments))
        self.process.start()
        sender.close()

    def goes_on(self, tally: Tally) -> bool:
        """Count what the process has told; whether there is more to come."""
        try:
            told: Change | Remark = self.receiver.recv()
        except EOFError:
            return self._ended(tally)
        self.told += 1
        tally.add(told)
        if isinstance(told, Change):
            self.moved += told.moved
            self.caught += told.moved and told.caught
        if isinstance(told, Change) or told.kind == "refused":
            self.done += 1
        return True

    def _ended(self, tally: Tally) -> bool:
        self.process.join()
        self.scratch.cleanup()
        code = self.process.exitcode
        if code and self.told and self.crashes < MOST_CRASHES:
            tally.add(Remark("refused", f"{self.title}: crashes"))
            self.crashes, self.done = self.crashes + 1, self.done + 1
            self._start()
            return True
        if code:
            reason = f"not to the end: a process ended with {code}"
            tally.add(Remark("left out", f"{self.title}: {reason}"))
        seconds = time.perf_counter() - self.begin
        print(f"  {self.title:<60} {self.caught:3} of {self.moved:3} {seconds:6.1f} s", flush=True)
        return False

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.scratch.cleanup()


def count(builds: list[tuple[Subject, str]], jobs: int, tally: Tally) -> None:
    """Count what becomes of all builds, several at a time; until interrupted."""
    waiting, running = collections.deque(builds), dict[Any, Running]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                slot = min(set(range(jobs)) - {r.slot for r in running.values()})
                begun = Running(*waiting.popleft(), slot, jobs)
                running[begun.receiver] = begun
            for receiver in wait(list(running)):
                told = running.pop(receiver)
                if told.goes_on(tally):
                    running[told.receiver] = told
    except KeyboardInterrupt:
        print(f"\ninterrupted: {len(running)} builds not to the end, {len(waiting)} not begun")
        for unfinished in running.values():
            unfinished.stop()


def show(tally: Tally) -> bool:
    """Print the tables; whether the limits are kept."""
    print(f"\n{'kind':<30} {'precision':<10} {'tried':>6} {'moved':>6} {'caught':>6}")
    for kind in (*KINDS, *FROZEN):
        for precision in UNIT:
            print(f"{kind:<30} {precision:<10} {row(*tally.counts(False, kind, precision))}")
    for precision in UNIT:
        counts = tally.counts(True, precision=precision)
        print(f"{'all, of match in parts':<30} {precision:<10} {row(*counts)}")
    _, moved, caught = tally.counts(False)
    strict = [c for c in tally.changes if c.moved_strictly and not c.in_parts]
    built, alarms = tally.remarks["built"], tally.remarks["alarm"]
    share, wrong = caught / max(moved, 1), len(alarms) / max(len(built), 1)
    print(f"\n{len({title.rpartition(' ')[0] for title in built})} models, {len(built)} builds")
    print(f"caught: {caught} of {moved}, {share:.2%} (at least {CAUGHT:.1%})")
    few = sum(change.caught for change in strict)
    print(f"with one unit of fp32 instead of 16: {few} of {len(strict)}")
    print(f"changed files that ONNX Runtime does not run: {len(tally.remarks['refused'])}")
    print(f"untouched and a match in parts: {len(tally.remarks['in parts'])}")
    print(f"untouched, but wrong on other inputs, and called so: {len(tally.remarks['wrong'])}")
    print(f"untouched and called anything else: {len(alarms)}, {wrong:.2%} (at most 0.5%)")
    lists = {name: tally.remarks[name] for name in ("in parts", "wrong", "alarm", "left out")}
    lists["misses"] = [c.line for c in tally.changes if c.moved and not c.caught]
    for title, lines in lists.items():
        print(f"\n{title}:", *(lines or ["none"]), sep="\n  ")
    return share >= CAUGHT and wrong <= FALSE_ALARMS


def row(tried: int, moved: int, caught: int) -> str:
    share = f"{caught / moved:7.1%}" if moved else "      -"
    return f"{tried:6} {moved:6} {caught:6} {share}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--models", type=int, default=1000, help="how many models (default: all)")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones")
    parser.add_argument("--quick", action="store_true", help="the first 12 models in fp32")
    parser.add_argument("--full-size", action="store_true", help="four models of 100 to 550 MB")
    parser.add_argument("--trained", action="store_true", help="trained models alone")
    parser.add_argument("--only", help="models whose name contains this")
    parser.add_argument("--precision", choices=list(UNIT), action="append")
    parser.add_argument("--jobs", type=int, default=1, help="builds at a time (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, inputs and changes")
    options = parser.parse_args()
    SEED[0] = options.seed
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(THREADS)
    known = full_size() if options.full_size else [*subjects(), *trained_models.subjects(SEED)]
    if options.trained:
        known = trained_models.subjects(SEED)
    chosen = [s for s in known if not options.only or options.only in s.name]
    chosen = chosen[options.skip : options.skip + (12 if options.quick else options.models)]
    precisions = options.precision or (["fp32"] if options.quick else list(UNIT))
    for name in IMPORTED.split():
        with contextlib.suppress(ImportError), quiet():
            importlib.import_module(name)
    tally, begin = Tally(), time.perf_counter()
    count(
        [(s, precision) for s in chosen for precision in precisions if precision in s.precisions],
        options.jobs,
        tally,
    )
    good = show(tally)
    print(f"\n{time.perf_counter() - begin:.0f} s")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
