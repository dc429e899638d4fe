"""The search for what has to stay in float32: which remedy is tried when, and what is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from turnkeyml.build import MAX_TRIES, STRATEGIES, Conversion, Fp16Search, Kept, Subgraphs
from turnkeyml.nouns import Cause, Verdict, Verification
from turnkeyml.verify import Reference

MATCH = Verification(Verdict.MATCH, Cause.WITHIN_TOLERANCE, "matches")
CLOSE = Verification(Verdict.CLOSE, Cause.SAME_DIRECTION, "is close")
MISMATCH = Verification(Verdict.MISMATCH, Cause.BEYOND_TOLERANCE, "is wrong")
UNSTABLE = Verification(Verdict.MISMATCH, Cause.ORIGINAL_UNSTABLE, "is unstable")
CANNOT_RUN = Verification(Verdict.NOT_CHECKED, Cause.CANNOT_RUN, "does not run", operator="Celu")

RANGES = Kept(nodes=("large",), inputs_outputs=("output",))
OTHERS = Kept(operators=("Relu", "Tanh"))


@dataclass(frozen=True)
class Scripted(Conversion):
    """A conversion whose verdicts and subgraphs are written down beforehand, one per try."""

    source: Path = Path("source")
    target: Path = Path("target")
    reference: Reference = field(default_factory=lambda: Reference({}, {}))
    threads: int = 1
    verdicts: list[Verification] = field(default_factory=list)
    seen: list[Subgraphs] = field(default_factory=list)
    converted: list[Kept] = field(default_factory=list)

    def convert(self, kept):
        self.converted.append(kept)

    def check(self):
        return self.verdicts[min(len(self.converted), len(self.verdicts)) - 1]

    def out_of_range(self):
        return RANGES

    def all_but_multiplications(self):
        return OTHERS

    def subgraphs(self):
        return self.seen[min(len(self.converted), len(self.seen)) - 1]


def subgraphs(verdict, *nodes, count=8):
    return Subgraphs(count, verdict, nodes)


def kept_by(conversion, **settings):
    """What each try kept, and the outcome."""
    found = Fp16Search(conversion, **settings).run()
    return conversion.converted, found


def test_a_model_that_verifies_is_converted_once():
    tried, found = kept_by(Scripted(verdicts=[MATCH]))
    assert tried == [Kept()]
    assert found.kept == Kept()
    assert found.verdict == MATCH


def test_remedies_for_a_wrong_result_come_in_order():
    right = [subgraphs(MISMATCH, "a")]
    tried, found = kept_by(Scripted(verdicts=[MISMATCH, MISMATCH, MISMATCH, MATCH], seen=right))
    assert tried == [
        Kept(),
        RANGES,
        Kept(("Relu", "Tanh"), ("large",), ("output",)),
        Kept(("Relu", "Tanh"), ("large", "a"), ("output",)),
    ]
    assert found.kept == tried[-1]
    assert found.verdict == MATCH


def test_an_operator_that_cannot_run_comes_before_the_ranges():
    """There are no numbers to look at before it runs."""
    tried, _ = kept_by(Scripted(verdicts=[CANNOT_RUN, MISMATCH, MATCH]))
    assert tried == [Kept(), Kept(("Celu",)), Kept(("Celu",), *_rest(RANGES))]


def test_a_model_that_does_not_run_for_no_named_operator_keeps_all_but_multiplications():
    nameless = Verification(Verdict.NOT_CHECKED, Cause.CANNOT_RUN, "does not run")
    tried, _ = kept_by(Scripted(verdicts=[nameless, MATCH]))
    assert tried == [Kept(), OTHERS]


def test_subgraphs_of_an_unstable_model_come_before_other_operators():
    found_each_time = [subgraphs(MISMATCH, name) for name in "abc"]
    script = Scripted(verdicts=[UNSTABLE, UNSTABLE, UNSTABLE, MATCH], seen=found_each_time)
    tried, _ = kept_by(script)
    assert [kept.nodes for kept in tried] == [
        (),
        ("large",),
        ("large", "b"),
        ("large", "b", "c"),
    ]
    assert not any(kept.operators for kept in tried)


def test_half_of_the_tries_are_left_for_other_remedies():
    endless = [subgraphs(MISMATCH, f"node{i}") for i in range(MAX_TRIES)]
    tried, _ = kept_by(Scripted(verdicts=[UNSTABLE], seen=endless))
    first = next(i for i, kept in enumerate(tried) if kept.operators)
    assert first == MAX_TRIES // 2 + 1


def test_it_ends_after_so_many_conversions_with_the_first_of_the_best():
    endless = [subgraphs(MISMATCH, f"node{i}") for i in range(MAX_TRIES)]
    tried, found = kept_by(Scripted(verdicts=[MISMATCH], seen=endless))
    assert len(tried) == MAX_TRIES + 1
    assert tried[-1] == found.kept == Kept()


def test_the_best_try_is_converted_again_if_it_was_not_the_last():
    tried, found = kept_by(
        Scripted(verdicts=[MISMATCH, CLOSE, MISMATCH], seen=[subgraphs(MISMATCH)])
    )
    assert tried == [Kept(), RANGES, Kept(("Relu", "Tanh"), *_rest(RANGES)), RANGES]
    assert found.kept == RANGES
    assert found.verdict == CLOSE


def test_subgraphs_that_match_speak_for_an_unstable_model():
    tried, found = kept_by(Scripted(verdicts=[UNSTABLE], seen=[subgraphs(MATCH)]))
    assert tried == [Kept()]
    assert found.verdict.verdict is Verdict.IN_PARTS
    assert found.verdict.cause is Cause.IN_PARTS
    assert found.verdict.reason == "in each of 8 subgraphs matches; the whole is is unstable"


def test_subgraphs_speak_for_a_close_result_only_when_nothing_else_helps():
    tried, found = kept_by(Scripted(verdicts=[CLOSE], seen=[subgraphs(MATCH)]))
    assert len(tried) == 3
    assert found.verdict.cause is Cause.IN_PARTS
    assert found.kept == tried[-1]


@pytest.mark.parametrize(
    "settings", [{"seen": [subgraphs(MATCH, count=1)]}, {"source_is_trusted": False}]
)
def test_one_subgraph_or_an_untrusted_source_proves_nothing(settings):
    _, found = kept_by(Scripted(verdicts=[UNSTABLE], **settings))
    assert found.verdict == UNSTABLE


def test_an_examination_that_fails_is_made_once_and_named_in_the_verdict():
    calls = []

    class Failing(Scripted):
        def out_of_range(self):
            calls.append(1)
            raise MemoryError("too large")

    _, found = kept_by(Failing(verdicts=[MISMATCH], seen=[subgraphs(MISMATCH)]))
    assert calls == [1]
    assert (
        found.verdict.reason
        == "is wrong; the analysis of its value ranges failed: MemoryError: too large"
    )


def test_a_new_remedy_is_one_entry():
    asked = []

    def remedy(search, whole):
        asked.append((search.tries, search.kept, whole))
        return Kept(nodes=("mine",))

    tried, found = kept_by(
        Scripted(verdicts=[MISMATCH, MISMATCH, MATCH]), strategies=(remedy, *STRATEGIES)
    )
    assert tried == [Kept(), Kept(nodes=("mine",)), Kept((), ("mine", "large"), ("output",))]
    assert asked == [(0, Kept(), MISMATCH), (1, Kept(nodes=("mine",)), MISMATCH)]
    assert found.verdict == MATCH


def test_a_remedy_that_does_not_apply_is_passed_over():
    tried, found = kept_by(
        Scripted(verdicts=[MISMATCH], seen=[subgraphs(MISMATCH, "a")]),
        strategies=(lambda *_: None, lambda *_: Kept()),
    )
    assert tried == [Kept()]
    assert found.verdict == MISMATCH


def _rest(kept):
    return kept.nodes, kept.inputs_outputs
