"""The last race: the fastest configurations and the default, measured as in any race."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from turnkeyml.cache import add_evaluation, samples_file
from turnkeyml.evaluate import Outcome
from turnkeyml.measure import (
    DEFAULT_RULE,
    Interference,
    PerCopy,
    RoundReferee,
    Samples,
    sample,
    save_evaluation,
)
from turnkeyml.nouns import TUNED, Cause, Configuration, Evaluation, Trial, TrialStatus
from turnkeyml.tuning.search import Advantage, Entrant, advantage, described
from turnkeyml.tuning.variants import Rig

MOST_SECONDS = 20.0
RULE = replace(
    DEFAULT_RULE,
    name="tune",
    least_runs=20,
    least_seconds=1.0,
    cap_seconds=10.0,
    pause_seconds=2.0,
    warmup_seconds=0.2,
    warmup_cap_seconds=3.0,
    warmup_restless_seconds=1.0,
)


@dataclass(frozen=True)
class Final:
    """The winner, and the trials of those that took part."""

    winner: Configuration | None
    advantage: Advantage | None
    """Of the winner over the default; None if the winner is the default."""
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class _Finalist:
    entrant: Entrant
    outcome: Outcome
    samples: Samples | None

    @property
    def configuration(self) -> Configuration:
        return self.entrant.configuration

    @property
    def wrong(self) -> str | None:
        """Why it cannot win; None if it can."""
        performance = self.outcome.evaluation.performance
        for flag in performance.flags if performance else ():
            if flag.kind.discredits:
                return f"its latency is not credible: {flag.text}"
        verification = self.outcome.evaluation.verification
        if verification is not None and verification.cause is Cause.AFTER_TIMING:
            return verification.reason
        return self.entrant.wrong

    @property
    def may_win(self) -> bool:
        return self.samples is not None and self.wrong is None

    def over(self, other: _Finalist) -> Advantage:
        """How many times as fast as the other it is."""
        assert self.samples is not None
        assert other.samples is not None
        return advantage(self.configuration, self.samples, other.configuration, other.samples)


def run_final(rig: Rig, entrants: Sequence[Entrant], seconds: float) -> Final:
    """Race the entrants, of which the first is the default; keep their evaluations."""
    cap = min(RULE.cap_seconds, seconds)
    rule = replace(RULE, race_seconds=seconds, cap_seconds=cap, pause_seconds=min(2.0, cap / 4))
    referee = PerCopy(
        RoundReferee(0, [e.wrong is None for e in entrants], rule.precision),
        [e.configuration.batch for e in entrants],
    )
    meters = [e.entry.meter for e in entrants]
    found = sample(meters, rule, referee=referee, interference=Interference(rule.pause_seconds))
    finalists = []
    for entrant, samples in zip(entrants, found, strict=True):
        entrant.runner.observe(samples)
        entrant.runner.recheck(samples)
        entrant.runner.note(samples)
        outcome = entrant.runner.outcome(rule, rig.device, entrant.configuration.threads)
        kept = samples if isinstance(samples, Samples) and outcome.evaluation.ok else None
        finalists.append(_Finalist(entrant, outcome, kept))
        _keep(rig, outcome, entrant.configuration, is_default=entrant is entrants[0])
    return _judge(finalists)


def _judge(finalists: list[_Finalist]) -> Final:
    """The fastest that is right; the default if that is not slower for sure."""
    default = finalists[0]
    right = [f for f in finalists if f.may_win]
    if not right:
        return Final(None, None, tuple(_trial(f, default, None) for f in finalists))
    fastest = right[0]
    for one in right[1:]:
        if one.over(fastest).ratio > 1:
            fastest = one
    is_default = default.may_win and not fastest.over(default).is_clear
    winner = default if is_default else fastest
    gain = winner.over(default) if winner is not default and default.samples else None
    trials = tuple(_trial(f, default, winner) for f in finalists)
    return Final(winner.configuration, gain, trials)


def _trial(one: _Finalist, default: _Finalist, winner: _Finalist | None) -> Trial:
    configuration, evaluation = one.configuration, one.outcome.evaluation
    performance = evaluation.performance
    if performance is None:
        return Trial(configuration, TrialStatus.FAILED, evaluation.reason or "")
    status, reason = _status(one, winner)
    trial = Trial(
        configuration,
        status,
        reason,
        latency=performance.median_latency,
        latency_low=performance.median_low,
        latency_high=performance.median_high,
        throughput=1000 * configuration.batch / performance.median_latency,
        relative_time=1 / one.over(default).ratio if default.samples else None,
        peak_memory_bytes=evaluation.peak_memory_bytes,
    )
    return described(trial, one.entrant)


def _status(one: _Finalist, winner: _Finalist | None) -> tuple[TrialStatus, str]:
    if one.wrong is not None or winner is None:
        return TrialStatus.WRONG, one.wrong or ""
    if one is winner:
        return TrialStatus.WINNER, ""
    behind = winner.over(one)
    if not behind.is_clear:
        return TrialStatus.OPEN, ""
    label = winner.configuration.label
    return TrialStatus.BEATEN, f"{behind.ratio:.3g} times as slow as {label}"


def _keep(rig: Rig, outcome: Outcome, one: Configuration, *, is_default: bool) -> None:
    """Keep an evaluation in the build, where reports and comparisons find it."""
    evaluation: Evaluation = replace(
        outcome.evaluation,
        build_name=rig.folder.name,
        parameters={} if is_default else {TUNED: one.details},
    )
    if outcome.folder is not None and evaluation.ok:
        samples = samples_file(outcome.folder).relative_to(rig.folder.path).as_posix()
        evaluation = replace(evaluation, samples_file=samples)
        save_evaluation(outcome.folder, outcome.sittings, evaluation)
    add_evaluation(rig.folder, evaluation)
