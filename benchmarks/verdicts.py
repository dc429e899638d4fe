"""Is a wrong build ever called a match, or a good one anything else?

    python benchmarks/verdicts.py [--models N] [--quick] [--only NAME] [--precision fp32]

Small models of every kind of output are built in fp32 and in fp16. Their ONNX files are changed as
bugs would change them (benchmarks/sabotage.py), run with ONNX Runtime, and judged as the process
that measures a build judges it: by what the build folder holds of the original.

Whether a change matters is decided here, without the code under test. It does if an output moves
further from the original in fp64 than TIMES times the rounding of its precision explains, in the
root mean square over its informative numbers (finite ones, without the values that the model's own
masks are known to write; each channel by itself where the model is known to have channels of
different magnitudes). The rounding is the largest of

* how far the untouched build is from the original in fp64,
* how far PyTorch is from it in fp32, or in fp16,
* UNIT of the numbers themselves: one unit in the last place of fp16 (2^-11), and 16 of fp32
  (2^-20), as far as correct libraries are apart (ONNX Runtime's Fourier transform is 3e-6 off).

Booleans and integers matter if more than TIMES as many of them change as in the untouched build and
in PyTorch in that precision, and than UNIT is a share of them.
A build that is not called a match untouched is no witness for what is done to it.

Every line is printed as it is known. Results are printed only; a run that was stopped goes on with
--skip N.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import copy
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
from sabotage import KINDS, sabotages
from verdict_models import Subject, subjects

import turnkeyml
from turnkeyml import structure
from turnkeyml.cache.layout import BuildFolder
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.runtimes.ort_session import run_once
from turnkeyml.verify.capsule import load_reference
from turnkeyml.verify.compare import compare
from turnkeyml.verify.reference import Reference

TIMES = 10
UNIT = {"fp32": 2.0**-20, "fp16": 2.0**-11}
STRICT = {"fp32": 2.0**-24, "fp16": 2.0**-11}
"""One unit in the last place of either; counted too, because UNIT is a judgement."""
CAUGHT, FALSE_ALARMS = 0.995, 0.005
SEED = [0]
"""Of weights, inputs and changes; the rules were chosen on seed 0, others are news to them."""


@dataclass
class Tally:
    """What was counted so far."""

    caught: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    moved: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    tried: collections.Counter[tuple[str, str]] = field(default_factory=collections.Counter)
    strict: collections.Counter[str] = field(default_factory=collections.Counter)
    misses: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Build:
    """A finished build with the original."""

    subject: Subject
    precision: str
    path: Path
    reference: Reference
    exact: list[np.ndarray]
    rounded: list[np.ndarray]
    untouched: list[np.ndarray]
    verdict: Verification

    @property
    def title(self) -> str:
        return f"{self.subject.name} {self.precision}"

    def run(self, path: Path) -> tuple[list[np.ndarray], Verification]:
        """What a file computes, and the verdict on it."""
        outputs = run_once(str(path), self.reference.inputs, 2)
        return list(outputs.values()), compare(outputs, self.reference, self.precision)


def call(model: torch.nn.Module, inputs: Any, dtype: torch.dtype | None = None) -> list[np.ndarray]:
    """What PyTorch computes, as arrays; floating-point inputs in a dtype."""

    def cast(_: str, value: Any) -> Any:
        floats = torch.is_tensor(value) and value.is_floating_point()
        return value.to(dtype) if floats and dtype else value

    inputs = structure.replace(structure.clone(inputs), cast)
    with torch.no_grad():
        result = model(**inputs) if isinstance(inputs, dict) else model(*inputs)
    return [t.cpu().numpy() for t in structure.leaves(result).values()]


def in_half(model: torch.nn.Module, inputs: Any) -> list[np.ndarray]:
    """What PyTorch computes in fp16; where it cannot, with weights rounded to fp16."""
    model = copy.deepcopy(model)
    try:
        return call(model.half(), inputs, torch.float16)
    except Exception:  # noqa: BLE001 - some operators do not exist in fp16
        return call(model.float(), inputs)


def make(subject: Subject, precision: str, cache: Path) -> Build:
    torch.manual_seed(SEED[0])
    model, inputs = subject.make()
    model.eval()
    name = "".join(c if c.isalnum() else "_" for c in f"{subject.name}_{precision}")
    with quiet():
        state = turnkeyml.build_model(
            model,
            inputs,
            build_name=name,
            cache_dir=str(cache),
            sequence=f"optimize-{precision}",
            monitor=False,
        )
        golden = call(model, inputs)
        try:
            exact = call(copy.deepcopy(model).double(), inputs, torch.float64)
        except Exception:  # noqa: BLE001 - some models fix a dtype inside
            exact = golden
        rounded = golden if precision == "fp32" else in_half(model, inputs)
    folder = BuildFolder(cache, name)
    assert state.reference is not None
    reference = load_reference(folder, state.reference)
    path = folder.path / state.artifacts["onnx"]
    outputs = run_once(str(path), reference.inputs, 2)
    verdict = compare(outputs, reference, precision)
    untouched = list(outputs.values())
    return Build(subject, precision, path, reference, exact, rounded, untouched, verdict)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def movement(build: Build, outputs: list[np.ndarray], unit: float) -> float:
    """How many times as far the outputs are from fp64 as rounding explains; the largest."""
    found = [0.0]
    for a, e, r, u in zip(outputs, build.exact, build.rounded, build.untouched, strict=True):
        if a.shape != u.shape:
            return np.inf
        if e.dtype.kind in "biu":
            wrong = np.count_nonzero(a != e)
            noise = max(np.count_nonzero(u != e), np.count_nonzero(r != e))
            found.append(wrong / max(noise, unit * e.size, 0.5 / TIMES))
            continue
        found.extend(part for part in parts(build, unit, pairs(a), *map(pairs, (e, r, u))))
    return max(found)


def pairs(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs of real ones, as ONNX has them."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def parts(
    build: Build, unit: float, a: np.ndarray, e: np.ndarray, *noisy: np.ndarray
) -> Iterator[float]:
    e, *others = (x.astype(np.float64) for x in (e, a, *noisy))
    good = np.isfinite(e) & np.isfinite(others[-1])
    for mask in build.subject.masks:
        good &= ~np.isclose(others[-1], mask, rtol=1e-2) & ~np.isclose(e, mask, rtol=1e-2)
    axis = build.subject.axis
    units = [good]
    if axis is not None:
        index = np.arange(e.shape[axis]).reshape([-1 if d == axis else 1 for d in range(e.ndim)])
        units = [good & (index == i) for i in range(e.shape[axis])]
    for place in units:
        if place.any():
            moved, *noise = (rms(x[place] - e[place]) for x in others)
            allowed = max(unit * rms(e[place]), *filter(np.isfinite, noise), 1e-45)
            yield moved / allowed
    odd = ~good
    same = np.isclose(others[0][odd], others[-1][odd], rtol=1e-2, equal_nan=True)
    yield 0.0 if same.all() else np.inf


def rms(numbers: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))


def examine(build: Build, tally: Tally, scratch: Path) -> None:
    """Sabotage a build in every way."""
    model = onnx.load(str(build.path))
    before = sum(tally.moved.values()), sum(tally.caught.values())
    for kind in KINDS:
        for what, changed in sabotages(model, kind, SEED[0]):
            path = scratch / "sabotaged.onnx"
            onnx.save(changed, str(path))
            try:
                outputs, verdict = build.run(path)
            except Exception as error:  # noqa: BLE001 - then nobody can take it for a good one
                tally.skipped.append(f"{build.title}: {kind} ({what}) does not run: {error}"[:150])
                continue
            moves = [movement(build, outputs, of[build.precision]) for of in (UNIT, STRICT)]
            if moves[1] > TIMES:
                tally.strict["moved"] += 1
                tally.strict["caught"] += verdict.verdict is not Verdict.MATCH
            count(tally, build, (kind, what), moves[0], verdict)
    moved = sum(tally.moved.values()) - before[0], sum(tally.caught.values()) - before[1]
    print(f"  {build.title:<50} {build.verdict.cause:<26} {moved[1]:3} of {moved[0]:3}", flush=True)


def count(
    tally: Tally, build: Build, change: tuple[str, str], moved: float, verdict: Verification
) -> None:
    kind, what = change
    key = kind, build.precision
    tally.tried[key] += 1
    if not moved > TIMES:
        return
    tally.moved[key] += 1
    if verdict.verdict is not Verdict.MATCH:
        tally.caught[key] += 1
        return
    line = f"{build.title}: {kind} ({what}): moved {moved:.3g} times the rounding; {verdict.reason}"
    tally.misses.append(line)
    print(f"  MISS  {line}", flush=True)


def one(subject: Subject, precision: str, tally: Tally, scratch: Path, cache: Path | None) -> None:
    try:
        build = make(subject, precision, cache or scratch)
    except Exception as error:  # noqa: BLE001 - what is not installed, or does not build
        reason = str(error).strip().split("\n")[0][:100]
        tally.skipped.append(f"{subject.name} {precision}: {type(error).__name__}: {reason}")
        print(f"  SKIP  {tally.skipped[-1]}", flush=True)
        return
    tally.built.append(build.title)
    if build.verdict.verdict is not Verdict.MATCH:
        line = f"{build.title}: {build.verdict.verdict}: {build.verdict.reason}"
        tally.alarms.append(line)
        print(f"  ALARM {line}", flush=True)
        return
    examine(build, tally, scratch)


def show(tally: Tally) -> bool:
    """Print the tables; whether the limits are kept."""
    print(f"\n{'kind':<26} {'precision':<10} {'tried':>6} {'moved':>6} {'caught':>7}")
    for kind in KINDS:
        for precision in UNIT:
            key = kind, precision
            tried, moved, caught = (c[key] for c in (tally.tried, tally.moved, tally.caught))
            share = f"{caught / moved:7.1%}" if moved else "      -"
            print(f"{kind:<26} {precision:<10} {tried:6} {moved:6} {share}")
    moved, caught = sum(tally.moved.values()), sum(tally.caught.values())
    names = {title.rpartition(" ")[0] for title in tally.built}
    share, alarms = caught / max(moved, 1), len(tally.alarms) / max(len(tally.built), 1)
    print(f"\n{len(names)} models, {len(tally.built)} builds, {len(tally.skipped)} left out")
    print(f"caught: {caught} of {moved}, {share:.2%} (at least {CAUGHT:.1%})")
    few, many = tally.strict["caught"], tally.strict["moved"]
    print(f"with one unit of fp32 instead of 16: {few} of {many}, {few / max(many, 1):.2%}")
    wrong = len(tally.alarms)
    print(f"untouched but no match: {wrong} of {len(tally.built)}, {alarms:.2%} (at most 0.5%)")
    for title, lines in (("misses", tally.misses), ("false alarms", tally.alarms)):
        print(f"\n{title}:", *(lines or ["none"]), sep="\n  ")
    return share >= CAUGHT and alarms <= FALSE_ALARMS


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
    chosen = [s for s in subjects() if not options.only or options.only in s.name]
    chosen = chosen[options.skip : options.skip + (12 if options.quick else options.models)]
    precisions = options.precision or (["fp32"] if options.quick else list(UNIT))
    tally, begin = Tally(), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="turnkey-verdicts-") as scratch:
        for subject in chosen:
            for precision in precisions:
                one(subject, precision, tally, Path(scratch), options.cache)
    good = show(tally)
    print(f"\n{time.perf_counter() - begin:.0f} s")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
