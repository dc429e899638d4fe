"""The verdict on what is built from a model that does not repeat its own results.

The original is run several times. A build of it is right if it cannot be told apart from another
run: the mean of its runs is no further from that of the original's runs than these are from each
other, give or take the looser tolerance of the precision.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from turnkeyml.cache import widened
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify.floats import cosine
from turnkeyml.verify.magnitudes import groups_of, places_of, real, root_mean_square
from turnkeyml.verify.reference import Outputs, Reference
from turnkeyml.verify.tolerances import (
    RANDOM_MARGIN,
    RANDOM_SLACK,
    RANDOM_SPREAD,
    RANDOM_TURN,
    RANDOM_TURN_SLACK,
    RULES,
)

MOST_SPLITS = 35

Middle = Callable[..., np.ndarray]


@dataclass(frozen=True)
class _Distance:
    """How far a build is from the runs of the original, in one output."""

    absolute: float
    relative: float
    """To the magnitude of the mean of the original's runs."""
    cosine: float
    noise: float
    """How much the runs of the original vary, relative to that magnitude."""
    reason: str | None = None
    """Why it is another computation; None if that cannot be told."""


def runs_of_build(reference: Reference) -> int:
    """How many runs of a build that varies are compared with the original's."""
    return (1 + len(reference.repeats)) // 2


def compare_runs(builds: list[Outputs], reference: Reference, precision: str) -> Verification:
    """The verdict on runs of a build of a random original, on the recorded inputs."""
    originals = [reference.outputs, *reference.repeats]
    if len(originals) < 3:
        reason = "the original gives other results when it is run again, and the build holds too "
        reason += "few of them; run its script again"
        return Verification(Verdict.NOT_CHECKED, Cause.NO_REFERENCE, reason)
    golden = [widened(run) for run in originals]
    found = [widened(run) for run in builds]
    shapes = [a.shape for a in golden[0]], [a.shape for a in found[0]]
    if shapes[0] != shapes[1] and _same_shapes(golden):
        reason = f"the shapes differ: {shapes[1]} instead of {shapes[0]}"
        return Verification(Verdict.MISMATCH, Cause.OTHER_SHAPES, reason)
    if not _same_shapes([*golden, *found]):
        reason = "the original itself gives results of other shapes when it is run again"
        return Verification(Verdict.NONDETERMINISTIC, Cause.ORIGINAL_RANDOM, reason)
    columns = zip(zip(*found, strict=True), zip(*golden, strict=True), strict=True)
    distances = [_distance([*b], [*o], RULES[precision].loose) for b, o in columns]
    return _conclude(distances, len(originals))


def _conclude(distances: list[_Distance], count: int) -> Verification:
    wrong = next((d.reason for d in distances if d.reason), None)
    noise = max(d.noise for d in distances)
    verdict, cause = Verdict.NONDETERMINISTIC, Cause.ORIGINAL_RANDOM
    reason = (
        "cannot be told apart from another run of the original, whose "
        f"{count} runs vary by {noise:.2g} of their magnitude"
    )
    if wrong is not None:
        verdict, cause = Verdict.MISMATCH, Cause.BEYOND_TOLERANCE
        reason = f"{wrong}, although the original varies by {noise:.2g} of its magnitude"
    return Verification(
        verdict,
        cause,
        reason,
        max_absolute_error=max(d.absolute for d in distances),
        max_relative_error=max(d.relative for d in distances),
        cosine=min(d.cosine for d in distances),
    )


def _same_shapes(runs: list[list[np.ndarray]]) -> bool:
    return all([a.shape for a in run] == [a.shape for a in runs[0]] for run in runs)


def _distance(builds: list[np.ndarray], originals: list[np.ndarray], loose: float) -> _Distance:
    """Judge one output."""
    if originals[0].size == 0 or originals[0].dtype.kind not in "biufc":
        return _Distance(0.0, 0.0, 1.0, 0.0)
    if originals[0].dtype.kind in "biu":
        return _distance_of_picks(builds, originals)
    golden = [real(a) for a in originals]
    places = places_of(golden[0])
    regular = places.regular & np.all([np.isfinite(g) for g in golden], axis=0)
    runs = np.stack([g[regular] for g in golden])
    made = np.stack([real(b)[regular] for b in builds])
    mean, error = runs.mean(axis=0), np.abs(made.mean(axis=0) - runs.mean(axis=0))
    seen = _Distance(
        absolute=float(error.max(initial=0.0)),
        relative=root_mean_square(error) / (root_mean_square(mean) or 1.0),
        cosine=cosine(made.mean(axis=0), mean),
        noise=root_mean_square(runs - mean) / (root_mean_square(mean) or 1.0),
    )
    if not np.isfinite(made).all():
        return _because(seen, "infinite or NaN where the original has a finite number")
    agree = bool(np.all(runs == runs[0]))
    for group in groups_of(golden[0], regular):
        rounding = (loose if agree else max(loose, RANDOM_SLACK)) * group.magnitude
        reason = _why_not(made[:, group.members], runs[:, group.members], rounding)
        if reason is not None:
            return _because(seen, reason)
    return seen


def _why_not(made: np.ndarray, runs: np.ndarray, rounding: float) -> str | None:
    """Why numbers are not those of another run of the original; None if they may be."""
    if all(_is_apart(made, runs, rounding, middle) for middle in (np.mean, np.median)):
        return "further from the runs of the original than these are from each other"
    turned = [1 - cosine(few, rest) for few, rest in _halves(runs, len(made))]
    if (
        1 - cosine(made.mean(axis=0), runs.mean(axis=0))
        > RANDOM_TURN * max(turned) + RANDOM_TURN_SLACK
    ):
        return "of another direction than the runs of the original"
    if np.median(_variation(made)) > RANDOM_SPREAD * max(_variation(runs)) + rounding:
        return "varies more from run to run than the original does"
    return None


def _is_apart(made: np.ndarray, runs: np.ndarray, rounding: float, middle: Middle) -> bool:
    """Whether the middle of a build's runs is further from that of the original's than chance
    explains. The mean is exact, and the median is not moved by what happens rarely."""
    few, count = len(made), len(runs)
    apart = root_mean_square(middle(made, axis=0) - middle(runs, axis=0))
    chance = max(root_mean_square(a - b) for a, b in _halves(runs, few, middle))
    expected = (1 / few + 1 / count) / (1 / few + 1 / (count - few))
    return apart > RANDOM_MARGIN * chance * float(np.sqrt(expected)) + rounding


def _halves(
    runs: np.ndarray, few: int, middle: Middle = np.mean
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The middle of a few of the original's runs and that of the others, for several choices."""
    places = np.arange(len(runs))
    for split in itertools.islice(itertools.combinations(places, few), MOST_SPLITS):
        chosen = np.isin(places, split)
        yield middle(runs[chosen], axis=0), middle(runs[~chosen], axis=0)


def _variation(runs: np.ndarray) -> list[float]:
    """How far each run is from the middle of all."""
    middle = np.median(runs, axis=0)
    return [root_mean_square(run - middle) for run in runs]


def _distance_of_picks(builds: list[np.ndarray], originals: list[np.ndarray]) -> _Distance:
    """Judge an output of integers or booleans by how many are the same."""
    among = [np.mean([np.mean(a == b) for b in _without(originals, a)]) for a in originals]
    with_build = float(np.mean([np.mean(a == b) for a in builds for b in originals]))
    seen = _Distance(1 - with_build, 1 - with_build, with_build, 1 - float(np.mean(among)))
    slack = RANDOM_MARGIN * float(np.max(among) - np.min(among))
    if with_build < float(np.min(among)) - slack - 1 / originals[0].size:
        return _because(seen, "agrees less with the runs of the original than these do")
    return seen


def _without(arrays: list[np.ndarray], one: np.ndarray) -> list[np.ndarray]:
    return [array for array in arrays if array is not one]


def _because(seen: _Distance, reason: str) -> _Distance:
    return _Distance(seen.absolute, seen.relative, seen.cosine, seen.noise, reason)
