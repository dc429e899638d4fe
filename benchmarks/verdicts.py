"""Is a wrong build ever called a match, or a good one anything else?

    python benchmarks/verdicts.py [--models N] [--quick] [--only NAME] [--precision fp32]

Small models of every kind of output are built in fp32 and in fp16. Their ONNX files are changed as
bugs would change them (benchmarks/sabotage.py, benchmarks/freeze.py), run with ONNX Runtime, and
judged as the process that measures a build judges it: on the recorded and on the held-out inputs,
by what the build folder holds of the original.

Whether a change matters is decided without the code under test (benchmarks/movement.py): on the
recorded inputs, and for what is frozen, which cannot show there, on inputs of the benchmark's own.
A build that is not called a match untouched is no witness for what is done to it. Builds that match
in parts are counted apart, untouched and sabotaged.

Every line is printed as it is known. Results are printed only; a run that was stopped goes on with
--skip N.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import io
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from freeze import FROZEN
from movement import STRICT, TIMES, UNIT, Original, Witness, movement, other_inputs
from sabotage import KINDS, sabotages
from verdict_models import Subject, subjects

import turnkeyml
from turnkeyml import structure
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.cache.state import BuildState
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.runtimes.ort_session import OrtSession
from turnkeyml.verify.capsule import load_reference
from turnkeyml.verify.judge import judge
from turnkeyml.verify.reference import Reference

CAUGHT, FALSE_ALARMS = 0.995, 0.005
SEED = [0]
"""Of weights, inputs and changes; the rules were chosen on seed 0, others are news to them."""
OTHERS, OTHERS_OF_DECISIONS = 2, 6
"""How many sets of inputs are drawn to see what a frozen decision does."""
LARGE = 8 << 20
EACH = ((1 << 20, 4), (LARGE, 2))
"""How many layers are tried for each kind of change, by the bytes of the file and of its inputs; 1
of larger ones."""

THREADS = 1
"""Of ONNX Runtime and PyTorch: two that wait for each other are slow on a busy machine."""

GENERAL, IN_PARTS = "match", "match in parts"


@dataclass
class Tally:
    """What was counted so far. The kinds of change are counted by untouched verdict, kind and
    precision."""

    caught: collections.Counter[tuple[str, str, str]] = field(default_factory=collections.Counter)
    moved: collections.Counter[tuple[str, str, str]] = field(default_factory=collections.Counter)
    tried: collections.Counter[tuple[str, str, str]] = field(default_factory=collections.Counter)
    strict: collections.Counter[str] = field(default_factory=collections.Counter)
    misses: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)
    in_parts: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    refused: int = 0
    """Changed files that ONNX Runtime does not run."""


class File:
    """An ONNX file in ONNX Runtime, which is run once on each set of inputs."""

    def __init__(self, path: Path) -> None:
        self._session = OrtSession(str(path), THREADS)
        self._outputs: dict[int, dict[str, np.ndarray]] = {}

    def run(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if id(inputs) not in self._outputs:
            self._session.feed(inputs)
            self._session.run()
            self._outputs[id(inputs)] = self._session.outputs()
        return self._outputs[id(inputs)]


@dataclass(frozen=True)
class Build:
    """A finished build with the original."""

    subject: Subject
    precision: str
    path: Path
    state: BuildState
    reference: Reference
    original: Original
    arguments: Any

    @property
    def title(self) -> str:
        return f"{self.subject.name} {self.precision}"

    @property
    def computes_in(self) -> str:
        """The precision that rounding is to be expected of."""
        return "fp32" if self.state.facts["precision"] == "fp32" else "fp16"

    def judge(self, file: File) -> Verification:
        """The verdict as the process that measures comes to it."""
        assert self.state.reference is not None
        return judge(
            file.run,
            self.reference,
            self.state.facts["precision"],
            may_specialise=self.state.reference.specialised,
        )

    @property
    def size(self) -> int:
        """The bytes of the file and of its inputs."""
        data = sum(array.nbytes for array in self.reference.inputs.values())
        return self.path.stat().st_size + data

    @functools.cached_property
    def untouched(self) -> File:
        return File(self.path)

    @functools.cached_property
    def verdict(self) -> Verification:
        """On the untouched build: the worse of its own and of the measuring process."""
        found = self.judge(self.untouched)
        own = self.state.verification
        assert own is not None
        return own if own.verdict.rank > found.verdict.rank else found

    @functools.cached_property
    def recorded(self) -> Witness:
        return self._seen(self.arguments, self.reference.inputs)

    @functools.cached_property
    def others(self) -> list[Witness]:
        """What is computed on inputs that are drawn here."""
        found = []
        many = OTHERS_OF_DECISIONS if self.subject.decides else OTHERS
        for number in range(many if self.size < LARGE else 1):
            arguments = other_inputs(self.subject, self.arguments, 1000 * (SEED[0] + 1) + number)
            tensors = structure.leaves(arguments).values()
            named = zip(self.reference.inputs, tensors, strict=True)
            try:
                seen = self._seen(arguments, {name: tensor.numpy() for name, tensor in named})
            except Exception:  # noqa: BLE001 - the original does not take them
                continue
            if seen.usable:
                found.append(seen)
        return found

    def _seen(self, arguments: Any, inputs: dict[str, np.ndarray]) -> Witness:
        with quiet():
            exact, rounded = self.original.exact(arguments), self.original.rounded(arguments)
        seen = Witness(inputs, exact, rounded, list(self.untouched.run(inputs).values()))
        return seen.of_the_build() if self.verdict.verdict is Verdict.IN_PARTS else seen


def make(subject: Subject, precision: str, cache: Path) -> Build:
    torch.manual_seed(SEED[0])
    name = "".join(c if c.isalnum() else "_" for c in f"{subject.name}_{precision}")
    with quiet():
        model, inputs = subject.make()
        model.eval()
        state = turnkeyml.build_model(
            model,
            inputs,
            build_name=name,
            cache_dir=str(cache),
            sequence=f"optimize-{precision}",
            monitor=False,
        )
    folder = BuildFolder(cache, name)
    assert state.reference is not None
    reference = load_reference(folder, state.reference)
    path = folder.path / state.artifacts["onnx"]
    return Build(subject, precision, path, state, reference, Original(model, precision), inputs)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def examine(build: Build, tally: Tally, scratch: Path) -> None:
    """Sabotage a build in every way."""
    model = onnx.load(str(build.path))
    each = next((each for most, each in EACH if build.size < most), 1)
    before, begin = (sum(tally.moved.values()), sum(tally.caught.values())), time.perf_counter()
    for kind in (*KINDS, *FROZEN):
        for what, changed in sabotages(model, kind, SEED[0], each, build.reference.inputs):
            path = scratch / "sabotaged.onnx"
            onnx.save(changed, str(path))
            try:
                file = File(path)
                moves = moved_by(build, file, kind)
                verdict = build.judge(file)
            except Exception:  # noqa: BLE001 - then nobody can take it for a good one
                tally.refused += 1
                continue
            count(tally, build, (kind, what), moves, verdict)
    moved = sum(tally.moved.values()) - before[0], sum(tally.caught.values()) - before[1]
    seconds = time.perf_counter() - begin
    counts = f"{moved[1]:3} of {moved[0]:3} {seconds:5.1f} s"
    print(f"  {build.title:<50} {build.verdict.cause:<26} {counts}", flush=True)


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


def count(
    tally: Tally, build: Build, change: tuple[str, str], moved: list[float], verdict: Verification
) -> None:
    kind, what = change
    in_parts = build.verdict.verdict is Verdict.IN_PARTS
    key = IN_PARTS if in_parts else GENERAL, kind, build.precision
    caught = not verdict.trusted if in_parts else verdict.verdict is not Verdict.MATCH
    tally.tried[key] += 1
    if moved[1] > TIMES and not in_parts:
        tally.strict["moved"] += 1
        tally.strict["caught"] += caught
    if not moved[0] > TIMES:
        return
    tally.moved[key] += 1
    tally.caught[key] += caught
    if not caught:
        by = f"moved {moved[0]:.3g} times the rounding; {verdict.verdict}: {verdict.reason}"
        tally.misses.append(f"{build.title}: {kind} ({what}): {by}; held out {verdict.held_out}")
        print(f"  MISS  {tally.misses[-1]}", flush=True)


def one(subject: Subject, precision: str, tally: Tally, scratch: Path, cache: Path | None) -> None:
    try:
        build = make(subject, precision, cache or scratch)
        line = f"{build.title}: {build.verdict.verdict}: {build.verdict.reason}"
    except Exception as error:  # noqa: BLE001 - what is not installed, or does not build
        reason = str(error).strip().split("\n")[0][:100]
        tally.skipped.append(f"{subject.name} {precision}: {type(error).__name__}: {reason}")
        print(f"  SKIP  {tally.skipped[-1]}", flush=True)
        return
    tally.built.append(build.title)
    if build.verdict.verdict is Verdict.IN_PARTS:
        tally.in_parts.append(line)
        print(f"  PARTS {line}", flush=True)
    elif build.verdict.verdict is not Verdict.MATCH:
        tally.alarms.append(line)
        print(f"  ALARM {line}", flush=True)
        return
    try:
        examine(build, tally, scratch)
    except Exception as error:  # noqa: BLE001 - the others are to be examined nevertheless
        tally.skipped.append(f"{build.title}: not sabotaged to the end: {error!r}"[:200])
        print(f"  SKIP  {tally.skipped[-1]}", flush=True)


def show(tally: Tally) -> bool:
    """Print the tables; whether the limits are kept."""
    print(f"\n{'kind':<30} {'precision':<10} {'tried':>6} {'moved':>6} {'caught':>6}")
    for kind in (*KINDS, *FROZEN):
        for precision in UNIT:
            print(f"{kind:<30} {precision:<10} {row(tally, GENERAL, kind, precision)}")
    for precision in UNIT:
        print(
            f"{'all, of match in parts':<30} {precision:<10} {row(tally, IN_PARTS, '', precision)}"
        )
    counters = tally.moved, tally.caught
    moved, caught = (sum(n for key, n in c.items() if key[0] == GENERAL) for c in counters)
    names = {title.rpartition(" ")[0] for title in tally.built}
    share, alarms = caught / max(moved, 1), len(tally.alarms) / max(len(tally.built), 1)
    print(f"\n{len(names)} models, {len(tally.built)} builds, {len(tally.skipped)} left out")
    print(f"{tally.refused} changed files that ONNX Runtime does not run are not counted")
    print(f"caught: {caught} of {moved}, {share:.2%} (at least {CAUGHT:.1%})")
    few, many = tally.strict["caught"], tally.strict["moved"]
    print(f"with one unit of fp32 instead of 16: {few} of {many}, {few / max(many, 1):.2%}")
    total = len(tally.built)
    print(f"untouched and a match in parts: {len(tally.in_parts)} of {total}")
    print(f"untouched and neither: {len(tally.alarms)} of {total}, {alarms:.2%} (at most 0.5%)")
    lists = {
        "misses": tally.misses,
        "match in parts": tally.in_parts,
        "false alarms": tally.alarms,
        "left out": tally.skipped,
    }
    for title, lines in lists.items():
        print(f"\n{title}:", *(lines or ["none"]), sep="\n  ")
    return share >= CAUGHT and alarms <= FALSE_ALARMS


def row(tally: Tally, untouched: str, kind: str, precision: str) -> str:
    """The counts of one kind of change, or of all."""
    counters = tally.tried, tally.moved, tally.caught
    tried, moved, caught = (
        sum(n for key, n in counter.items() if key == (untouched, kind or key[1], precision))
        for counter in counters
    )
    share = f"{caught / moved:7.1%}" if moved else "      -"
    return f"{tried:6} {moved:6} {caught:6} {share}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--models", type=int, default=1000, help="how many models (default: all)")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones")
    parser.add_argument("--quick", action="store_true", help="the first 12 models in fp32")
    parser.add_argument("--only", help="models whose name contains this")
    parser.add_argument("--cache", type=Path, help="a folder to keep the builds in")
    parser.add_argument("--precision", choices=list(UNIT), action="append")
    parser.add_argument("--seed", type=int, default=0, help="of weights, inputs and changes")
    options = parser.parse_args()
    SEED[0] = options.seed
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(THREADS)
    chosen = [s for s in subjects() if not options.only or options.only in s.name]
    chosen = chosen[options.skip : options.skip + (12 if options.quick else options.models)]
    precisions = options.precision or (["fp32"] if options.quick else list(UNIT))
    tally, begin = Tally(), time.perf_counter()
    for subject in chosen:
        for precision in precisions:
            with tempfile.TemporaryDirectory(prefix="turnkey-verdicts-") as scratch:
                one(subject, precision, tally, Path(scratch), options.cache)
    good = show(tally)
    print(f"\n{time.perf_counter() - begin:.0f} s")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
