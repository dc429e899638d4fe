"""Benchmark tuning: how close to the best of all configurations, and in which share of the time?

    python benchmarks/tune.py [--folder DIR] [--seconds S] [--each T] MODEL …

For each model of the corpus (transformers/patchtst) it tunes, then measures every configuration of
the same space by itself, as `turnkey benchmark` would, or with --each as `--budget T` would; and
then it races the winner of the tuning against the best of these. Both need files in other
precisions: what making them takes is in the time of the tuning, and is measured once more for that
of the whole space.
Results are kept in DIR, so that a run that ends after S seconds goes on where it was. The program
of the winner is run, too.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml.api.tuning import _folder, _runtimes, _space, _state, _tuner
from turnkeyml.measure import DEFAULT_RULE, Samples, sample
from turnkeyml.nouns import Configuration, from_dict, to_dict
from turnkeyml.options import TuneOptions, settle
from turnkeyml.runtimes import find_device
from turnkeyml.tuning import Entrant, Judge, advantage, enter, parse_tolerance, write_program

TOLERANCE = "cosine>=0.99"
RACE = 10.0
"""Seconds for the race of the two winners."""


class Portion:
    """The time that is left in this run."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._end


class Model:
    """What is known of one model, in a file."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._path = folder / f"{name.replace('/', '_')}.json"
        self.known: dict[str, Any] = {"every": {}}
        if self._path.exists():
            self.known = json.loads(self._path.read_text())
        self.options = settle(
            TuneOptions,
            {"tolerance": TOLERANCE, "cache_dir": folder / "cache", "budget": "10m"},
        )
        self.device = find_device(self.options["device"])
        self.runtimes = _runtimes(self.options, self.device)
        self.build = self._build()

    def _build(self) -> Any:
        if "build" in self.known:
            return _folder(self.known["build"], self.options)
        found = _folder(self.name, self.options)
        self.keep(build=found.name)
        return found

    def keep(self, **more: Any) -> None:
        self.known.update(more)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self.known))

    def tune(self) -> None:
        """Search with the tuner; its time includes the conversions."""
        begin = time.monotonic()
        tuner = _tuner(self.build, self.device, self.runtimes, self.options, print)
        result = tuner.run()
        seconds = time.monotonic() - begin
        assert result.winner is not None
        winner = result.trial(result.winner)
        program = write_program(tuner.rig, result.winner, None)
        self.keep(
            tuning=to_dict(result.winner),
            tune_seconds=seconds,
            tried=sum(t.latency is not None for t in result.trials),
            speedup=result.speedup,
            median=winner.latency if winner else None,
            program=_run_program(program, self.build),
        )

    def measure_every(self, portion: Portion, each: float | None) -> bool:
        """Each configuration by itself; whether none is left."""
        rig = _tuner(self.build, self.device, self.runtimes, self.options, print).rig
        judge = Judge(parse_tolerance(TOLERANCE))
        for one in _space(rig, self.runtimes, self.options).every():
            if one.label in self.known["every"]:
                continue
            if portion.is_over:
                return False
            begin = time.monotonic()
            median = _alone(rig, one, judge, each)
            took = time.monotonic() - begin
            entry = {"configuration": to_dict(one), "median": median, "seconds": took}
            self.known["every"][one.label] = entry
            self.keep()
        return True

    def convert(self) -> None:
        """Make the files in other precisions anew, as whoever begins with all configurations
        would have to."""
        rig = _tuner(self.build, self.device, self.runtimes, self.options, print).rig
        made = sorted(path.stem for path in self.build.tuning.glob("int8-*.json"))
        for path in self.build.tuning.glob("int8-*"):
            path.unlink()
        begin = time.monotonic()
        for precision in made:
            rig.variants.file(precision)
        self.keep(conversions=time.monotonic() - begin)

    def decide(self) -> None:
        """Race the winner of the tuning against the fastest of all configurations."""
        state = _state(self.build)
        assert state is not None
        rig = _tuner(self.build, self.device, self.runtimes, self.options, print).rig
        right = [e for e in self.known["every"].values() if e["median"] is not None]
        best = from_dict(Configuration, min(right, key=lambda e: e["median"])["configuration"])
        ours = from_dict(Configuration, self.known["tuning"])
        self.keep(best=best.label, behind=1.0 if best == ours else _times_as_slow(rig, ours, best))

    def line(self) -> str:
        known = self.known
        every = sum(e["seconds"] for e in known["every"].values()) + known["conversions"]
        ours = from_dict(Configuration, known["tuning"]).label
        return (
            f"{self.name}: {ours} is {100 * (known['behind'] - 1):+.1f}% slower than the best of "
            f"{len(known['every'])} ({known['best']}); {known['tune_seconds']:.0f} s for "
            f"{known['tried']} tried, {every:.0f} s for all ({known['conversions']:.0f} of them "
            f"for files): {known['tune_seconds'] / every:.2f}; "
            f"{known['speedup']:.2f} times the default; median {known['median']:.4g} ms, "
            f"of the program {known['program']:.4g} ms"
        )


def _alone(rig: Any, one: Configuration, judge: Judge, seconds: float | None) -> float | None:
    """The median of a configuration in milliseconds; None if it is not right."""
    found = enter(rig, one, judge)
    if not isinstance(found, Entrant):
        return None
    try:
        rule = DEFAULT_RULE if seconds is None else DEFAULT_RULE.within(seconds)
        (samples,) = sample([found.entry.meter], rule)
        return float(np.median(samples.latencies)) / 1e6 if isinstance(samples, Samples) else None
    finally:
        found.close()


def _times_as_slow(rig: Any, one: Configuration, best: Configuration) -> float:
    from dataclasses import replace

    judge = Judge(parse_tolerance(TOLERANCE))
    entrants = [enter(rig, c, judge, is_anchor=True) for c in (one, best)]
    opened = [e for e in entrants if isinstance(e, Entrant)]
    try:
        rule = replace(DEFAULT_RULE, race_seconds=RACE, pause_seconds=0.0)
        ours, theirs = sample([e.entry.meter for e in opened], rule)
        assert isinstance(ours, Samples)
        assert isinstance(theirs, Samples)
        return advantage(best, theirs, one, ours).ratio
    finally:
        for entrant in opened:
            entrant.close()


def _run_program(program: str | None, build: Any) -> float | None:
    """The median that the program of the winner prints, in milliseconds."""
    if program is None:
        return None
    done = subprocess.run(
        [sys.executable, "-I", program, build.inputs], capture_output=True, text=True
    )
    found = re.search(r"runs: (\S+) ms", done.stdout)
    assert found, done.stderr
    return float(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--folder", type=Path, default=Path("tune-benchmark"))
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--each", type=float)
    words = parser.parse_args()
    portion = Portion(words.seconds)
    for name in words.models:
        if portion.is_over:
            break
        model = Model(name, words.folder)
        if "tuning" not in model.known:
            model.tune()
        if "behind" not in model.known:
            if not model.measure_every(portion, words.each):
                break
            model.decide()
        if "conversions" not in model.known:
            model.convert()
        print(model.line(), flush=True)


if __name__ == "__main__":
    main()
