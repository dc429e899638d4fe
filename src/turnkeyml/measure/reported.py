"""Numbers that a runtime measured by itself: recorded as they are, and never trusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turnkeyml.errors import MeasureError
from turnkeyml.measure.meter import Slice, WarmUp
from turnkeyml.measure.rules import Rule
from turnkeyml.measure.samples import Samples
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.runtimes import SelfReporting

SELF_REPORTED = "self-reported"
"""Why such a measurement stopped: nobody but the runtime knows."""

NOT_SEEN = Verification(
    Verdict.NOT_CHECKED,
    Cause.NO_OUTPUT,
    "the runtime measures by itself, and turnkey does not see its outputs",
)


class ReportedMeter:
    """A meter whose runs only the runtime can time, so that it cannot take turns with others."""

    def __init__(self, session: SelfReporting) -> None:
        self._session = session

    def sample(self, rule: Rule, *callbacks: Callable[[Any], None] | None) -> Samples:
        """What the runtime reports, as one sample of all its runs."""
        found = self._session.measure(rule.iterations or rule.least_runs)
        return Samples(
            timed=np.array([round(found.mean_latency * 1e6 * found.iterations)]),
            block=found.iterations,
            slices=(1,),
            walls=(round(1e9 * found.iterations / found.throughput),),
            warmup=np.zeros(0, dtype=np.int64),
            steady=True,
            stopped=SELF_REPORTED,
            timer=0.0,
            empty_call=0.0,
        )

    def warm_up(self, rule: Rule) -> WarmUp:
        raise MeasureError("A runtime that measures by itself cannot take turns with others.")

    def take(self, samples: int, block: int, recovery: int = 0) -> Slice:
        raise MeasureError("A runtime that measures by itself cannot take turns with others.")

    def rest(self) -> None:
        """Does nothing: it runs only while it measures."""
