"""Tune a build: try configurations until nothing is left or time is over; Pareto front, journal."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from turnkeyml.cache import BuildFolder, read_json, write_json
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Configuration, Trial, TrialStatus, TuneResult, from_dict, to_dict
from turnkeyml.system import total_memory_bytes
from turnkeyml.tuning import search
from turnkeyml.tuning.confirmation import MOST_SECONDS, Final, run_final
from turnkeyml.tuning.search import Entrant, Judge, best_of, enter, next_wave, rivals_of
from turnkeyml.tuning.space import Space
from turnkeyml.tuning.variants import Rig

WAVE = 5
"""Configurations that challenge the best so far at a time; all of them are in memory."""
MEMORY_SHARE = 0.5
"""Of the memory of this machine that a wave may take."""
FINALISTS = 3
NEAR = 1.05
"""Times the time of the best: what is slower does not take part in the final."""
LEAST_FINAL_SECONDS = 2.0
"""For each finalist, even if the budget is used up: a shorter final decides nothing."""
FINAL_SHARE = 0.15
"""Of the budget, for the final."""

Tell = Callable[[str], None]
"""Hears in a sentence what is done and what was found."""


@dataclass
class Tuner:
    """One search for the fastest configuration of a build."""

    rig: Rig
    space: Space
    judge: Judge
    journal: Journal
    budget: float
    """Seconds."""
    tell: Tell
    objective: str = "latency"
    clock: Callable[[], float] = time.monotonic

    def run(self) -> TuneResult:
        """Search, then race the best; every finished wave is in the journal."""
        self._trials, self._before = self.journal.read()
        if self._trials:
            self.tell(f"Resumed: {len(self._trials)} configurations were tried before.")
        self._began = self.clock()
        self._champion: Entrant | None = None
        try:
            is_complete = self._search()
            final = self._final()
        finally:
            if self._champion is not None:
                self._champion.close()
        result = self._result(final, is_complete)
        self.journal.write(self._trials, result.seconds, is_complete=is_complete)
        return result

    @property
    def _seconds(self) -> float:
        return self.clock() - self._began

    def _search(self) -> bool:
        """Try one wave after the other; whether nothing is left to try."""
        limit = self.budget - min(MOST_SECONDS, FINAL_SHARE * self.budget)
        while True:
            chosen = next_wave(self.space, self._trials, self._wave_size())
            if not chosen:
                return True
            if self._trials and self._seconds >= limit:
                return False
            found = self._wave(chosen, limit)
            self._trials += found
            self.journal.write(self._trials, self._before + self._seconds)
            self._tell_best(found)

    def _wave_size(self) -> int:
        known = [t.peak_memory_bytes for t in self._trials if t.peak_memory_bytes]
        total = total_memory_bytes()
        if not known or not total:
            return WAVE
        return max(1, min(WAVE, int(MEMORY_SHARE * total / max(known)) - 1))

    def _wave(self, chosen: Sequence[Configuration], limit: float) -> list[Trial]:
        """The trials of a wave; the fastest of it stays open."""
        is_first = not any(t.relative_time for t in self._trials)
        anchor, anchor_time = self._anchor()
        entrants, trials = [anchor], []
        left = [c for c in chosen if c != anchor.configuration]
        try:
            for configuration in left:
                if len(entrants) > 1 and self._seconds >= limit:
                    break
                self.tell(f"Loading {configuration.label}")
                found = enter(self.rig, configuration, self.judge)
                if isinstance(found, Trial):
                    trials.append(found)
                    self.tell(f"{configuration.label}: {found.status}: {found.reason}")
                else:
                    entrants.append(found)
            if len(entrants) > 1 or is_first:
                self.tell(f"Racing {len(entrants)} configurations")
                seconds = min(search.SECONDS * len(entrants), max(1.0, limit - self._seconds))
                raced = search.race(entrants, anchor_time, seconds)
                self._keep_best(entrants, raced)
                trials += raced if is_first else raced[1:]
        except BaseException:
            _close(e for e in entrants if e is not self._champion)
            raise
        return trials

    def _anchor(self) -> tuple[Entrant, float]:
        """What the others are compared with, and its time relative to the default's."""
        best = best_of(self._trials)
        if self._champion is not None:
            known = next(t for t in self._trials if t.configuration == self._champion.configuration)
            return self._champion, known.relative_time or 1.0
        if best is not None:
            found = enter(self.rig, best.configuration, self.judge, is_anchor=True)
            if isinstance(found, Entrant):
                return found, best.relative_time or 1.0
        return self._default(), 1.0

    def _default(self) -> Entrant:
        self.tell(f"Loading {self.space.default.label}, the default")
        found = enter(self.rig, self.space.default, self.judge, is_anchor=True)
        if isinstance(found, Trial):
            raise MeasureError(
                f"The default configuration, {self.space.default.label}, failed: {found.reason}"
            )
        return found

    def _keep_best(self, entrants: list[Entrant], trials: list[Trial]) -> None:
        """Close all but the fastest that may win, or else the anchor."""
        right = [n for n, trial in enumerate(trials) if trial.is_right]
        best = min(right, key=lambda n: trials[n].relative_time or 0.0, default=0)
        self._champion = entrants[best]
        _close(e for e in entrants if e is not self._champion)

    def _final(self) -> Final:
        """The last race, of the best and the default."""
        best = rivals_of(self._trials, FINALISTS, NEAR)
        chosen = [t.configuration for t in best if t.configuration != self.space.default]
        self.tell(f"Final: {'; '.join(c.label for c in [self.space.default, *chosen])}")
        champion, self._champion = self._champion, None
        entrants: list[Entrant] = []
        try:
            for configuration in [self.space.default, *chosen]:
                if champion is not None and champion.configuration == configuration:
                    entrants.append(champion)
                    continue
                is_default = configuration == self.space.default
                found = enter(self.rig, configuration, self.judge, is_anchor=is_default)
                if isinstance(found, Entrant):
                    entrants.append(found)
                elif is_default:
                    raise MeasureError(f"{configuration.label} failed: {found.reason}")
            left = max(LEAST_FINAL_SECONDS * len(entrants), self.budget - self._seconds)
            return run_final(self.rig, entrants, min(MOST_SECONDS, left))
        finally:
            _close([*entrants, *([champion] if champion and champion not in entrants else [])])

    def _result(self, final: Final, is_complete: bool) -> TuneResult:
        last = {t.configuration.label: t for t in final.trials}
        tried = [last.get(t.configuration.label, t) for t in self._trials]
        tried = [_settled(t, final, last) for t in tried]
        untried = [] if is_complete else next_wave(self.space, self._trials, 10**6)
        left = [Trial(c, TrialStatus.UNTRIED) for c in untried]
        trials = tuple(with_front([*tried, *left, *self.space.skipped]))
        gain = final.advantage
        known = gain.interval if gain else None
        result = TuneResult(
            build_name=self.rig.folder.name,
            device=self.rig.device.name,
            objective=self.objective,
            right=self.judge.in_words,
            default=self.space.default,
            winner=final.winner,
            speedup=gain.ratio if gain else (1.0 if final.winner else None),
            speedup_low=known.low if known else None,
            speedup_high=known.high if known else None,
            trials=trials,
            seconds=self._before + self._seconds,
            is_complete=is_complete,
        )
        result = replace(result, verdict=verdict_of(result))
        return replace(result, hints=hints_for(result))

    def _tell_best(self, found: Sequence[Trial]) -> None:
        best = best_of(self._trials)
        if best is None or best.relative_time is None:
            self.tell(f"{len(self._trials)} tried; none of them is right so far.")
            return
        gain = f"{1 / best.relative_time:.3g} times as fast as the default"
        is_new = any(best.configuration == t.configuration for t in found)
        self.tell(
            f"{len(self._trials)} tried, {self._before + self._seconds:.0f} s; "
            f"{'new best' if is_new else 'best'}: {best.configuration.label} ({gain})"
        )


def _settled(trial: Trial, final: Final, last: dict[str, Trial]) -> Trial:
    """A trial that did not reach the final cannot be the winner any more."""
    if trial.configuration.label in last or trial.status is not TrialStatus.OPEN:
        return trial
    return replace(trial, status=TrialStatus.BEATEN, reason="others were faster")


def _close(entrants: Iterable[Entrant]) -> None:
    for entrant in entrants:
        entrant.close()


@dataclass(frozen=True)
class _Content:
    key: str
    seconds: float
    is_complete: bool
    trials: tuple[Trial, ...]


class Journal:
    """The trials of a tuning that is not complete."""

    def __init__(self, folder: BuildFolder, facts: Any) -> None:
        """``facts`` is all that the trials depend on; others of them make another journal."""
        self._path = folder.tuning / "journal.json"
        text = json.dumps(to_dict(facts), sort_keys=True, default=repr)
        self._key = hashlib.sha256(text.encode()).hexdigest()[:16]

    def read(self) -> tuple[list[Trial], float]:
        """What was tried and how long it took; nothing if it was completed, or is another's."""
        try:
            found = from_dict(_Content, read_json(self._path))
        except ValueError:
            return [], 0.0
        if found.key != self._key or found.is_complete:
            return [], 0.0
        return list(found.trials), found.seconds

    def write(self, trials: Sequence[Trial], seconds: float, *, is_complete: bool = False) -> None:
        """Keep what was tried."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self._path, to_dict(_Content(self._key, seconds, is_complete, tuple(trials))))


@dataclass(frozen=True)
class _Figure:
    """Something of which less is better."""

    value: float
    margin: float
    """The factor below which two values are the same."""

    def is_better(self, other: _Figure) -> bool:
        return self.value * self.margin < other.value


def with_front(trials: Sequence[Trial]) -> list[Trial]:
    """The trials, with those marked that no other one beats in time, throughput, errors and memory.

    Differences below a margin do not count, so that chance puts nothing on the front.
    """
    right = [t for t in trials if t.is_right]
    front = {t.configuration.label for t in right if not any(_dominates(o, t) for o in right)}
    return [replace(t, on_front=t.configuration.label in front) for t in trials]


def _dominates(one: Trial, other: Trial) -> bool:
    """Whether one is as good in everything, and better in something; of two that are the same in
    everything the faster one."""
    if one is other:
        return False
    pairs = list(zip(_figures(one), _figures(other), strict=True))
    if any(theirs.is_better(ours) for ours, theirs in pairs):
        return False
    better = any(ours.is_better(theirs) for ours, theirs in pairs)
    return better or (one.relative_time or 0.0) < (other.relative_time or 0.0)


def _figures(trial: Trial) -> list[_Figure]:
    """The time of a run and per copy of the inputs, the errors and the memory.

    The times are relative to the default's, as medians of different moments do not compare.
    """
    errors = trial.errors.relative if trial.errors else 0.0
    per_copy = trial.relative_time or 0.0
    return [
        _Figure(per_copy * trial.configuration.batch, 1.02),
        _Figure(per_copy, 1.02),
        _Figure(max(errors, 1e-6), 2.0),
        _Figure(float(trial.peak_memory_bytes or 0), 1.05),
    ]


WORTH_A_HINT = 1.05
"""Times as fast as the winner, for what only a tolerance would accept."""
WORTH_A_RETRY = 1.1
"""Times as fast as the default, from which on a final that does not tell is not the last word."""


def verdict_of(result: TuneResult) -> str:
    """Who wins, by how much, and what is still open."""
    return " ".join([_winner(result), *_open(result)])


def _winner(result: TuneResult) -> str:
    if result.winner is None:
        return f"Nothing that was tried is right ({result.right})."
    if result.winner == result.default:
        return _default(result)
    sentence = f"{result.winner.label} is the fastest that is right"
    if result.speedup is None:
        return f"{sentence}."
    gain = f"{result.speedup:.3g} times as fast as the default, {result.default.label}"
    if result.speedup_low and result.speedup_high:
        gain += f" (95% interval {result.speedup_low:.3g} to {result.speedup_high:.3g})"
    return f"{sentence}: {gain}."


def _default(result: TuneResult) -> str:
    """Why the default wins: nothing is faster, or nothing is so for sure."""
    right = [t for t in result.trials if t.status is TrialStatus.OPEN and t.relative_time]
    best = min(right, key=lambda t: t.relative_time or math.inf, default=None)
    if best is None or (best.relative_time or 1.0) > 1 / WORTH_A_RETRY:
        return f"Nothing that is right is faster than the default, {result.default.label}."
    assert best.relative_time is not None
    return (
        f"The default, {result.default.label}, stays, because nothing is faster for sure: "
        f"{best.configuration.label} was {1 / best.relative_time:.3g} times as fast in the final, "
        "which was too short or too noisy; run the same command again with a longer --budget, or "
        "on a quieter machine."
    )


def _open(result: TuneResult) -> list[str]:
    sentences = []
    alike = [t.configuration.label for t in result.trials if t.status is TrialStatus.OPEN]
    if alike:
        sentences.append(f"Not told apart from it: {'; '.join(alike)}.")
    if not result.is_complete:
        left = sum(t.status is TrialStatus.UNTRIED for t in result.trials)
        sentences.append(
            f"The budget ended: {left} configuration{'s' * (left != 1)} and what may follow were "
            "not tried; run the same command again to go on."
        )
    return sentences


def hints_for(result: TuneResult) -> tuple[str, ...]:
    """What would be faster if it counted as right."""
    winner = result.trial(result.winner)
    limit = (winner.relative_time or 1.0) if winner else math.inf
    timed = [t for t in result.trials if t.status is TrialStatus.WRONG and t.relative_time]
    fastest = min(timed, key=lambda t: t.relative_time or 0.0, default=None)
    if fastest is None or fastest.errors is None or fastest.relative_time is None:
        return ()
    if fastest.configuration == result.default or limit < WORTH_A_HINT * fastest.relative_time:
        return ()
    return (_hint(fastest, limit),)


def _hint(trial: Trial, limit: float) -> str:
    assert trial.errors is not None
    assert trial.relative_time is not None
    gain = f"{limit / trial.relative_time:.3g} times as fast as the winner"
    gain = gain if math.isfinite(limit) else "faster"
    decibels = math.floor(trial.errors.sqnr)
    return (
        f"{trial.configuration.label} would be {gain}, with errors of {trial.errors.relative:.2g} "
        f"of the largest output and a cosine of {trial.errors.cosine:.6f}; "
        f"--tolerance sqnr>={decibels}dB would accept it."
    )
