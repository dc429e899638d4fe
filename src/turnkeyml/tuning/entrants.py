"""Configurations that are loaded and verified, and may be timed."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

from turnkeyml.errors import TurnkeyError
from turnkeyml.evaluate import Entry, Runner
from turnkeyml.measure import QUICK_RULE
from turnkeyml.nouns import Configuration, Trial, TrialStatus
from turnkeyml.tuning.right import (
    Measured,
    MetricLimit,
    Tolerance,
    limit_of,
    measure_metric,
    why_wrong,
)
from turnkeyml.tuning.variants import Rig
from turnkeyml.verify import COSINE


@dataclass
class Entrant:
    """A configuration whose process is open."""

    configuration: Configuration
    runner: Runner
    wrong: str | None
    """Why it cannot win; None if it can."""
    metric: float | None
    _stack: contextlib.ExitStack

    @property
    def entry(self) -> Entry:
        assert self.runner.entry is not None
        return self.runner.entry

    def close(self) -> None:
        """End its process."""
        self._stack.close()


class Judge:
    """Decides which configurations are right."""

    def __init__(
        self, tolerance: Tolerance | None = None, metric: str | None = None, drop: float = 0.01
    ) -> None:
        self.tolerance = tolerance
        self._metric = metric
        self._drop = drop
        self._limit: MetricLimit | None = None
        self._known: dict[tuple[str, str], Measured] = {}

    @property
    def in_words(self) -> str:
        """What counts as right."""
        parts = [str(self.tolerance)] if self.tolerance else []
        parts += [f"the metric in {self._metric}"] if self._metric else []
        return " and ".join(parts) or "a trusted verdict"

    def why_wrong(self, entry: Entry) -> str | None:
        """Why the outputs are not right; None if they are, as far as the metric does not tell."""
        if self._metric and self.tolerance is None:
            return None
        return why_wrong(entry.verification, entry.errors, self.tolerance)

    def measure(self, rig: Rig, configuration: Configuration) -> Measured | None:
        """The metric, once for each runtime and precision; None without one.

        The first that is measured is the default, which the others are compared with.
        """
        if self._metric is None:
            return None
        key = configuration.runtime, configuration.precision
        if key not in self._known:
            self._known[key] = measure_metric(self._metric, rig.contestant(configuration))
        if self._limit is None:
            self._limit = limit_of(self._known[key], self._drop)
        return self._known[key]

    def why_too_low(self, found: Measured | None) -> str | None:
        """Why the metric is not good enough; None if it is."""
        return self._limit.why_wrong(found.value) if found and self._limit else None


def enter(
    rig: Rig, configuration: Configuration, judge: Judge, *, is_anchor: bool = False
) -> Entrant | Trial:
    """Load and verify a configuration; the trial instead if there is nothing to be timed.

    What others are compared with is timed even if it is not right.
    """
    failed = TrialStatus.FAILED
    stack = contextlib.ExitStack()
    try:
        contestant = rig.contestant(configuration)
        metric = judge.measure(rig, configuration)
    except TurnkeyError as error:
        return Trial(configuration, failed, str(error))
    runner = Runner(contestant)
    if not runner.enter(stack, 0):
        reason = runner.outcome(QUICK_RULE, rig.device, configuration.threads).evaluation.reason
        return Trial(configuration, failed, reason or "")
    entrant = Entrant(configuration, runner, None, metric.value if metric else None, stack)
    entrant.wrong = judge.why_wrong(entrant.entry) or judge.why_too_low(metric)
    if entrant.wrong and not is_anchor and not _is_worth_timing(entrant, judge):
        entrant.close()
        return described(Trial(configuration, TrialStatus.WRONG, entrant.wrong), entrant)
    return entrant


def described(trial: Trial, entrant: Entrant) -> Trial:
    """A trial with what is known of the outputs of an entrant."""
    entry = entrant.entry
    verdict = entry.verification.verdict if entry.verification else None
    return replace(trial, errors=entry.errors, verdict=verdict, metric=entrant.metric)


def _is_worth_timing(entrant: Entrant, judge: Judge) -> bool:
    """Whether a tolerance may accept what the verdict does not, and a hint is to say its gain."""
    decided = judge.tolerance is not None or entrant.metric is not None
    errors = entrant.entry.errors
    return not decided and errors is not None and errors.cosine >= COSINE
