"""Searching for what must stay in float32 so that a model verifies in float16.

Each try converts the model and verifies it. While the result is not trusted, the first strategy
that finds something new to keep in float32 determines the next try. The best try wins.
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

T = TypeVar("T")

MAX_TRIES = 12
"""The most conversions per model; then the best result is taken."""


@dataclass(frozen=True)
class Try:
    """One conversion and its verdict."""

    kept: Kept
    verdict: Verification


class Search:
    """The state of a search: what stays in float32 now, and the results so far."""

    def __init__(
        self,
        conversion: Conversion,
        strategies: Sequence[Strategy] = STRATEGIES,
        max_tries: int = MAX_TRIES,
    ) -> None:
        self.conversion = conversion
        self.strategies = strategies
        self.max_tries = max_tries
        self.kept = Kept()
        self.tries = 0
        """How many conversions have been verified."""
        self.best: Try | None = None
        self.failures: list[str] = []
        """The analyzes that failed, and why."""
        self._ranges: Kept | None = None
        self._subgraphs: dict[Kept, Subgraphs | None] = {}

    def run(self) -> Try:
        """The best of all tries; the target file contains its result."""
        while True:
            last, more = self._try()
            self.tries += 1
            if self.best is None or last.verdict.verdict.rank < self.best.verdict.verdict.rank:
                self.best = last
            if more is None or self.tries == self.max_tries:
                break
            self.kept = more
        if self.best is not last:
            self.conversion.convert(self.best.kept)
        return replace(self.best, verdict=self._explained(self.best.verdict))

    def _try(self) -> tuple[Try, Kept | None]:
        """Convert and verify; also what to keep in the next try, None if this is the last."""
        if self.tries:
            print(f"Convert again with these in float32: {self.kept}", flush=True)
        self.conversion.convert(self.kept)
        whole = self.conversion.check()
        print(f"fp16: {whole.verdict} ({whole.reason})", flush=True)
        verdict = self._judged(whole) if self.is_unstable(whole) else whole
        enough = verdict.trusted or verdict.verdict is Verdict.SPECIALISED
        more = None if enough else self._next(whole)
        if more is None and not enough:
            verdict = self._judged(whole)
        return Try(self.kept, verdict), more

    def is_unstable(self, whole: Verification) -> bool:
        """Whether the outputs of the model say nothing, because it amplifies rounding."""
        wrong = whole.verdict in (Verdict.CLOSE, Verdict.MISMATCH)
        amplified = self.conversion.source_in_parts and wrong
        return amplified or whole.cause is Cause.ORIGINAL_UNSTABLE

    def _next(self, whole: Verification) -> Kept | None:
        """What to keep in the next try; None if no strategy finds anything new."""
        for strategy in self.strategies:
            found = strategy(self, whole)
            more = self.kept.plus(found) if found else None
            if more is not None:
                return more
        return None

    def out_of_range(self) -> Kept:
        """What is out of the range of float16; computed once."""
        if self._ranges is None:
            found = self._analyzed("value ranges", self.conversion.out_of_range)
            self._ranges = found or Kept()
        return self._ranges

    def subgraphs(self) -> Subgraphs | None:
        """The subgraphs of the current conversion, computed once; None without a reference."""
        if self.kept not in self._subgraphs:
            self._subgraphs[self.kept] = self._analyze_subgraphs()
        return self._subgraphs[self.kept]

    def _analyze_subgraphs(self) -> Subgraphs | None:
        if not self.conversion.source_is_trusted:
            return None
        found = self._analyzed("subgraphs", self.conversion.subgraphs)
        if found is not None:
            seen = f"{found.verdict.verdict} ({found.verdict.reason})"
            print(f"fp16, in {found.count} subgraphs: {seen}", flush=True)
        return found

    def _analyzed(self, what: str, analyze: Callable[[], T]) -> T | None:
        """The result of an analysis; None if it failed, which is added to the failures."""
        try:
            return analyze()
        except Exception as error:  # noqa: BLE001 - other strategies remain; the verdict says why
            self.failures.append(f"the analysis of its {what} failed: {describe(error)}")
            print(self.failures[-1], flush=True)
            return None

    def _judged(self, whole: Verification) -> Verification:
        """The verdict on the subgraphs if the outputs of the whole model cannot tell."""
        turned = whole.verdict is Verdict.CLOSE or whole.cause is Cause.OTHER_SHAPES
        cannot_tell = turned or self.is_unstable(whole)
        found = self.subgraphs() if cannot_tell else None
        if found is None or found.verdict.verdict is not Verdict.MATCH or found.count == 1:
            return whole
        seen = f"in each of {found.count} subgraphs {found.verdict.reason}"
        reason = f"{seen}; the whole is {whole.reason}"
        return replace(found.verdict, verdict=Verdict.IN_PARTS, cause=Cause.IN_PARTS, reason=reason)

    def _explained(self, verdict: Verification) -> Verification:
        """The verdict; if it is not trusted, its reason includes the failed analyzes."""
        if verdict.trusted or not self.failures:
            return verdict
        return replace(verdict, reason="; ".join([verdict.reason, *dict.fromkeys(self.failures)]))
