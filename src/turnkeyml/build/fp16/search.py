"""Finding what has to stay in float32 for a model to verify in float16.

Each try converts the model and checks it. While the result cannot be trusted, the first strategy
that names something new to keep in float32 decides the next try. The best try wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from turnkeyml.build.fp16.conversion import Conversion
from turnkeyml.build.fp16.keep import Kept
from turnkeyml.build.fp16.strategies import STRATEGIES, Strategy
from turnkeyml.build.fp16.subgraphs import Subgraphs
from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification

__all__ = ["MOST_TRIES", "Search", "Try"]

T = TypeVar("T")

MOST_TRIES = 12
"""How often a model is converted to float16 before the best result is taken."""


@dataclass(frozen=True)
class Try:
    """One conversion and its verdict."""

    kept: Kept
    verdict: Verification


class Search:
    """The state of a search: what is kept in float32 now, and what was seen so far."""

    def __init__(
        self,
        conversion: Conversion,
        strategies: Sequence[Strategy] = STRATEGIES,
        most_tries: int = MOST_TRIES,
    ) -> None:
        self.conversion = conversion
        self.strategies = strategies
        self.most_tries = most_tries
        self.kept = Kept()
        self.tries = 0
        """How many conversions have been judged."""
        self.best: Try | None = None
        self.troubles: list[str] = []
        """What could not be examined, and why."""
        self._ranges: Kept | None = None
        self._subgraphs: dict[Kept, Subgraphs | None] = {}

    def run(self) -> Try:
        """The best of all tries, which is what the target holds then."""
        while True:
            last, more = self._try()
            self.tries += 1
            if self.best is None or last.verdict.verdict.rank < self.best.verdict.verdict.rank:
                self.best = last
            if more is None or self.tries == self.most_tries:
                break
            self.kept = more
        if self.best is not last:
            self.conversion.convert(self.best.kept)
        return replace(self.best, verdict=self._explained(self.best.verdict))

    def _try(self) -> tuple[Try, Kept | None]:
        """Convert and check; what to keep in the next try, None if this is the last one."""
        if self.tries:
            print(f"Once more, with these in float32: {self.kept}", flush=True)
        self.conversion.convert(self.kept)
        whole = self.conversion.check()
        print(f"fp16: {whole.verdict} ({whole.reason})", flush=True)
        unstable = whole.cause is Cause.ORIGINAL_UNSTABLE
        verdict = _judged(whole, self.subgraphs()) if unstable else whole
        enough = verdict.trusted or verdict.verdict is Verdict.SPECIALISED
        more = None if enough else self._next(whole)
        if more is None and not enough:
            verdict = _judged(whole, self.subgraphs())
        return Try(self.kept, verdict), more

    def _next(self, whole: Verification) -> Kept | None:
        """What to keep in the next try; None if no strategy knows anything new."""
        for strategy in self.strategies:
            found = strategy(self, whole)
            more = self.kept.plus(found) if found else None
            if more is not None:
                return more
        return None

    def out_of_range(self) -> Kept:
        """What float16 cannot hold; computed once."""
        if self._ranges is None:
            self._ranges = self._examined("its numbers", self.conversion.out_of_range) or Kept()
        return self._ranges

    def subgraphs(self) -> Subgraphs | None:
        """The subgraphs of the current conversion, computed once; None if they show nothing."""
        if self.kept not in self._subgraphs:
            self._subgraphs[self.kept] = self._examine_subgraphs()
        return self._subgraphs[self.kept]

    def _examine_subgraphs(self) -> Subgraphs | None:
        if not self.conversion.source_is_trusted:
            return None
        found = self._examined("its subgraphs", self.conversion.subgraphs)
        if found is not None:
            seen = f"{found.verdict.verdict} ({found.verdict.reason})"
            print(f"fp16, in {found.count} subgraphs: {seen}", flush=True)
        return found

    def _examined(self, what: str, examine: Callable[[], T]) -> T | None:
        """What an examination found; None if it failed, which is remembered as a trouble."""
        try:
            return examine()
        except Exception as error:  # noqa: BLE001 - other strategies remain; the verdict tells
            self.troubles.append(f"{what} could not be examined: {describe(error)}")
            print(self.troubles[-1], flush=True)
            return None

    def _explained(self, verdict: Verification) -> Verification:
        """A verdict that names the troubles if it cannot be trusted."""
        if verdict.trusted or not self.troubles:
            return verdict
        return replace(verdict, reason="; ".join([verdict.reason, *dict.fromkeys(self.troubles)]))


def _judged(whole: Verification, subgraphs: Subgraphs | None) -> Verification:
    """The verdict of the subgraphs where the whole cannot tell rounding that grew from an error."""
    cannot_tell = whole.verdict is Verdict.CLOSE or whole.cause is Cause.ORIGINAL_UNSTABLE
    if (
        not cannot_tell
        or subgraphs is None
        or subgraphs.verdict.verdict is not Verdict.MATCH
        or subgraphs.count == 1
    ):
        return whole
    seen = f"in each of {subgraphs.count} subgraphs {subgraphs.verdict.reason}"
    reason = f"{seen}; the whole is {whole.reason}"
    return replace(whole, verdict=Verdict.MATCH, cause=Cause.IN_PARTS, reason=reason)
