"""Searching for what must stay in float32 so that a model verifies in float16.

Each try converts the model and verifies it. While the result is not trusted, the first strategy
that finds something new to keep in float32 determines the next try. The best try wins.

A strategy gets the search and the verdict on the whole model. It returns what else to keep in
float32, or None if it does not apply.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from turnkeyml.build.check import check_onnx
from turnkeyml.build.fp16.conversion import (
    Kept,
    all_but_multiplications,
    convert_to_float16,
    out_of_range,
    unsupported_operator,
)
from turnkeyml.build.fp16.subgraphs import Exact, Subgraphs, verify_subgraphs
from turnkeyml.errors import describe
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify import Reference, loosest

T = TypeVar("T")

MAX_TRIES = 12
"""The most conversions per model; then the best result is taken."""

Strategy = Callable[["Fp16Search", Verification], "Kept | None"]


@dataclass(frozen=True)
class Conversion:
    """A source file and the float16 file that is made from it."""

    source: Path
    target: Path
    reference: Reference
    threads: int
    source_is_trusted: bool = True
    """Whether the outputs of the source may serve as reference for subgraphs."""
    may_specialise: bool = False
    """Whether the source is valid for the recorded inputs only."""
    source_in_parts: bool = False
    """Whether the source itself could only be verified in parts."""

    def convert(self, kept: Kept) -> None:
        """Write the target."""
        convert_to_float16(self.source, self.target, kept)

    @property
    def judged_in(self) -> str:
        """The precision whose tolerance holds: that of the original if it is the less exact."""
        return loosest("fp16", self.reference.precision)

    def check(self) -> Verification:
        """The verdict on the target as a whole."""
        return check_onnx(
            str(self.target),
            self.reference,
            self.judged_in,
            self.threads,
            may_specialise=self.may_specialise,
        )

    def out_of_range(self) -> Kept:
        """What is out of the range of float16, on recorded or held-out inputs."""
        found = Kept()
        for reference in (self.reference, *self.reference.held_out):
            more = out_of_range(self.source, reference.inputs, self.threads)
            found = found.plus(more) or found
        return found

    def all_but_multiplications(self) -> Kept:
        """Every operator of the source except matrix products and convolutions."""
        return all_but_multiplications(self.source)

    def subgraphs(self) -> Subgraphs:
        """The verdicts on the subgraphs of the target in isolation."""
        return verify_subgraphs(self._exact, self.target, "fp16", self.threads)

    @functools.cached_property
    def _exact(self) -> Exact:
        return Exact(self.source, self.reference.inputs, self.threads)


@dataclass(frozen=True)
class Try:
    """One conversion and its verdict."""

    kept: Kept
    verdict: Verification


def keep_unsupported_operator(search: Fp16Search, whole: Verification) -> Kept | None:
    """Keep the operator that ONNX Runtime does not support in float16."""
    return unsupported_operator(whole)


def keep_out_of_range(search: Fp16Search, whole: Verification) -> Kept | None:
    """Keep what is out of the range of float16, if the outputs are wrong."""
    return search.out_of_range() if whole.verdict is not Verdict.NOT_CHECKED else None


def keep_subgraphs_of_unstable_model(search: Fp16Search, whole: Verification) -> Kept | None:
    """Keep subgraphs that mismatch in isolation, if the model amplifies rounding.

    Each try may find another subgraph, so half of the tries are left for other strategies.
    """
    early = search.tries < search.max_tries / 2
    return keep_subgraphs(search, whole) if search.is_unstable(whole) and early else None


def keep_all_but_multiplications(search: Fp16Search, whole: Verification) -> Kept | None:
    """Keep everything except convolutions and matrix products, which take most of the time."""
    return search.conversion.all_but_multiplications()


def keep_subgraphs(search: Fp16Search, whole: Verification) -> Kept | None:
    """Keep subgraphs that mismatch in isolation, with the graph inputs that they read."""
    found = search.subgraphs()
    return Kept(nodes=found.mismatching, inputs_outputs=found.inputs) if found else None


STRATEGIES: tuple[Strategy, ...] = (
    keep_unsupported_operator,
    keep_out_of_range,
    keep_subgraphs_of_unstable_model,
    keep_all_but_multiplications,
    keep_subgraphs,
)
"""The strategies in the order in which they are tried."""


class Fp16Search:
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
