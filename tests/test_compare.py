"""Comparing two sets of measurements: the statistics, the matching, the words, the exit status."""

from __future__ import annotations

import csv
import io
import itertools
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from turnkeyml.api import conditions_met
from turnkeyml.cache import BuildFolder, add_evaluation, build_name, update_stats
from turnkeyml.cli import main
from turnkeyml.errors import TurnkeyError
from turnkeyml.measure import (
    DEFAULT_RULE,
    RIGOROUS_RULE,
    ProcessResult,
    Rule,
    Samples,
    SessionInfo,
    evaluation_of,
    failed,
    median_interval,
    ratios,
    save_evaluation,
)
from turnkeyml.nouns import (
    Cause,
    Flag,
    FlagKind,
    Input,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Verdict,
    Verification,
    to_dict,
)
from turnkeyml.report import (
    compare_measurements,
    make_document,
    render,
    report_of,
    to_json,
    write_report,
)
from turnkeyml.runtimes import find_device, find_runtime

X86 = find_device("x86")


def normal(random, count):
    """A stream of latencies in milliseconds, as those below are."""
    return random.normal(1.0, 0.01, count)


def lognormal(random, count):
    return np.exp(random.normal(0.0, 0.05, count))


def bimodal(random, count):
    slow = random.random(count) < 0.3
    return np.where(slow, random.normal(1.1, 0.01, count), random.normal(1.0, 0.01, count))


def correlated(random, count):
    level, levels = 0.0, []
    for step in random.normal(0.0, 0.02 * math.sqrt(1 - 0.9**2), count + 100):
        level = 0.9 * level + step
        levels.append(level)
    return 1.0 + np.array(levels[100:])


SHAPES = [normal, lognormal, bimodal, correlated]


def judge(a, b, seed="", factor=1.0):
    """The ratio of two streams of one process each, and the verdict on it."""
    drawn = [
        ratios.draws_from_samples([values], ratios.ratio_generator(side, str(seed)))
        for side, values in (("A", a), ("B", b * factor))
    ]
    if any(draws is None for draws in drawn):
        return None, ratios.SpeedVerdict.UNCLEAR
    ratio = ratios.ratio_of(np.median(a), np.median(b) * factor, drawn[1] - drawn[0])
    return ratio, ratios.verdict_on(ratio)


def test_the_same_thing_twice_is_rarely_called_faster_or_slower():
    random = np.random.default_rng(7)
    calls = []
    for number, shape in itertools.product(range(50), SHAPES):
        a, b = (shape(random, count) for count in random.integers(100, 3001, 2))
        calls.append(judge(a, b, f"{number}{shape.__name__}")[1])
    assert len(calls) == 200
    assert sum(verdict in ("FASTER", "SLOWER") for verdict in calls) <= 200 / 20
    assert calls.count("SAME") > 200 / 2


def test_three_percent_are_found_where_the_medians_are_known_to_one_percent():
    random = np.random.default_rng(8)
    calls = []
    for number, shape in itertools.product(range(50), SHAPES):
        a, b = shape(random, 3000), shape(random, 3000)
        widths = [median_interval(v).half_width / np.median(v) for v in (a, b)]
        if max(widths) <= 0.01:
            calls.append(judge(a, b, f"{number}{shape.__name__}", factor=1.03)[1])
    assert len(calls) > 150
    assert calls.count("SLOWER") >= 0.9 * len(calls)


def test_processes_differ_more_than_their_runs_do():
    random = np.random.default_rng(9)
    offsets = np.exp(random.normal(0.0, 0.006, (200, 2)))
    calls = [
        judge(normal(random, 2000) * one, normal(random, 2000) * other, number)[1]
        for number, (one, other) in enumerate(offsets)
    ]
    assert sum(verdict in ("FASTER", "SLOWER") for verdict in calls) <= 200 / 10


def test_runs_that_resemble_their_neighbours_say_less():
    random = np.random.default_rng(13)
    widths = []
    for _ in range(20):
        clustered = np.repeat(lognormal(random, 11), 5)
        found = [judge(v, v)[0] for v in (clustered, random.permutation(clustered))]
        widths.append([math.log(ratio.high / ratio.low) for ratio in found])
    wide, narrow = np.mean(widths, axis=0)
    assert wide > 1.5 * narrow


def test_a_machine_that_wanders_during_a_run_is_trusted_less():
    random = np.random.default_rng(10)
    levels = np.repeat([1.0, 1.04] * 5, 200)
    wandering = normal(random, 2000) * levels
    calm = random.permutation(wandering)
    ratio, verdict = judge(calm, calm, factor=1.035)
    wide, unsure = judge(wandering, wandering, factor=1.035)
    assert verdict == "SLOWER"
    assert unsure == "UNCLEAR"
    assert wide.high - wide.low > 2 * (ratio.high - ratio.low)


def test_the_same_streams_give_the_same_interval_every_time():
    random = np.random.default_rng(11)
    a, b = lognormal(random, 500), lognormal(random, 500)
    assert judge(a, b, "x") == judge(a, b, "x")
    assert judge(a, b, "x") != judge(a, b, "y")


def test_several_processes_are_judged_by_how_they_differ():
    random = np.random.default_rng(12)
    close = [normal(random, 200) for _ in range(5)]
    apart = [normal(random, 200) * level for level in (0.95, 0.97, 1.0, 1.03, 1.05)]
    spreads = [
        np.subtract(
            *np.percentile(ratios.draws_from_samples(p, ratios.ratio_generator()), (97.5, 2.5))
        )
        for p in (close, apart)
    ]
    of_processes, of_moments = 2.776 * ratios.FLOOR / math.sqrt(5), 1.96 * ratios.MOMENT
    assert spreads[0] == pytest.approx(2 * math.hypot(of_processes, of_moments), rel=0.15)
    assert spreads[1] == pytest.approx(2 * 2.776 * 0.0412 / math.sqrt(5), rel=0.15)


def both_ways(a, b, seed):
    """The ratio of two sides by guesses and by draws, and the verdict where guesses decide."""
    guesses = [ratios.guess_from_samples(side) for side in (a, b)]
    drawn = [
        ratios.draws_from_samples(side, ratios.ratio_generator(name, str(seed)))
        for name, side in (("A", a), ("B", b))
    ]
    medians = [float(np.median(np.concatenate(side))) for side in (a, b)]
    by_draws = ratios.ratio_of(*medians, drawn[1] - drawn[0])
    if None in guesses:
        return None, by_draws, None
    found = ratios.Distribution(*guesses)
    return found.ratio(*medians), by_draws, found.verdict(*medians)


def test_draws_give_the_verdict_that_intervals_give_without_them():
    random = np.random.default_rng(11)
    decided = []
    for number, shape in itertools.product(range(40), SHAPES):
        counts = random.integers(100, 6001, random.choice([1, 1, 3, 6]))
        factor = random.choice([0.9, 0.97, 1.0, 1.01, 1.03, 1.05, 1.3])
        a = [shape(random, count) for count in counts]
        b = [shape(random, count) * factor for count in counts]
        _, by_draws, verdict = both_ways(a, b, number)
        if verdict is not None:
            decided.append(verdict)
            assert verdict == ratios.verdict_on(by_draws), (number, shape)
    assert len(decided) > 100
    assert set(decided) == set(ratios.SpeedVerdict)


def test_an_interval_without_draws_is_where_other_draws_would_put_it():
    random = np.random.default_rng(12)
    for shape, count in itertools.product(SHAPES, (300, 5000)):
        a, b = [shape(random, count)], [shape(random, count)]
        pairs = [both_ways(a, b, seed)[:2] for seed in range(10)]
        guessed = pairs[0][0]
        if guessed is None:
            continue
        for end in ("low", "high"):
            drawn = [math.log(getattr(by_draws, end)) for _, by_draws in pairs]
            width = math.log(guessed.high / guessed.low)
            assert math.log(getattr(guessed, end)) == pytest.approx(
                np.mean(drawn), abs=0.04 * width
            )


def test_what_random_orders_decide_is_not_guessed():
    random = np.random.default_rng(13)
    steps = np.repeat(1 + 0.004 * random.normal(size=10), 50)
    found = [ratios.guess_from_samples([random.normal(steps, 0.02)]) for _ in range(40)]
    assert None in found
    assert any(found)


def test_a_ratio_next_to_a_limit_is_drawn():
    guess = ratios.guess_from_interval(1.0, 0.96, 1.04)
    half = 1.96 * math.sqrt(2) * math.sqrt(guess.variance)
    for distance, verdict in ((0.0, None), (0.3, "SLOWER"), (-0.3, "UNCLEAR")):
        median = math.exp(half * (1 + distance))
        other = ratios.guess_from_interval(median, median * 0.96, median * 1.04)
        assert ratios.Distribution(guess, other).verdict(1.0, median) == verdict


def test_the_recorded_interval_tells_how_many_samples_are_independent(monkeypatch):
    values = correlated(np.random.default_rng(14), 8000)
    slow = ratios.guess_from_samples([values])
    interval = median_interval(values)
    monkeypatch.setattr(ratios, "correlation_time", None)
    fast = ratios.guess_from_samples([values], interval=(interval.low, interval.high))
    deviations = [math.hypot(g.parts[0].deviation(), math.sqrt(g.variance)) for g in (slow, fast)]
    assert deviations[1] == pytest.approx(deviations[0], rel=0.05)
    assert deviations[0] > ratios.FLOOR


def test_equal_samples_are_not_known_better_than_processes_differ():
    random = np.random.default_rng(16)
    for level in random.lognormal(size=20):
        ticks = level * random.permutation(np.repeat([0.9, 1.0, 1.1], [60, 400, 60]))
        draws = ratios.draws_from_samples([ticks], ratios.ratio_generator())
        guess = ratios.guess_from_samples([ticks])
        assert np.std(draws) == pytest.approx(ratios.FLOOR, rel=0.1)
        assert np.mean(draws) == pytest.approx(math.log(level), abs=0.001)
        assert (guess.centre, guess.variance) == pytest.approx((math.log(level), ratios.FLOOR**2))


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        (ratios.Ratio(1.02, 1.001, 1.04), "SLOWER"),
        (ratios.Ratio(1.009, 1.001, 1.02), "SAME"),
        (ratios.Ratio(0.98, 0.96, 0.999), "FASTER"),
        (ratios.Ratio(0.995, 0.98, 0.999), "SAME"),
        (ratios.Ratio(1.0, 0.975, 1.025), "SAME"),
        (ratios.Ratio(1.0, 0.96, 1.025), "UNCLEAR"),
        (ratios.Ratio(1.2, 0.9, 1.5), "UNCLEAR"),
    ],
)
def test_a_verdict_needs_evidence_and_a_change_worth_the_word(ratio, verdict):
    assert ratios.verdict_on(ratio) == verdict


def test_the_mean_of_many_rows_is_known_better_than_one():
    draws = [
        np.log(2) + 0.01 * ratios.ratio_generator(str(i)).normal(size=ratios.DRAWS) for i in "abcd"
    ]
    added = ratios.GeometricMean()
    assert added.ratio() is None
    for ratio, one in zip([1.0, 4.0, 2.0, 2.0], draws, strict=True):
        added.add(ratio, one)
    mean = added.ratio()
    assert mean.value == pytest.approx(2.0)
    assert (mean.low, mean.high) == pytest.approx((2 * 0.9903, 2 * 1.0099), rel=1e-3)


def test_quantiles_are_those_of_numpy():
    random = np.random.default_rng(15)
    for count in (2, 3, 50, 1001):
        values, shares = random.lognormal(size=count), random.random(500)
        expected = np.quantile(values, [0.0, 0.5, 1.0, *shares])
        assert (
            ratios._quantiles(np.sort(values), np.array([0.0, 0.5, 1.0, *shares])) == expected
        ).all()


def stream(median=1.0, seed=0, count=1000):
    return median * np.random.default_rng(seed).normal(1.0, 0.01, count)


def measure(
    cache,
    *processes,
    script="net",
    digest="aaaaaaaa",
    runtime="ort",
    precision="fp32",
    verdict="match",
    rule=DEFAULT_RULE,
    version="1.30",
    folder="",
    flags=(),
    cause=Cause.WITHIN_TOLERANCE,
    threads=2,
    distances=(),
    **details,
):
    """Add a measurement that nobody had to wait for, with what writes the real ones.

    A process is its latencies in milliseconds; the distances of the processors are those of as
    many rounds of equal length, in each process.
    """
    build = folder_of(cache, script, digest)
    sittings = [
        ProcessResult(
            Samples(
                timed=(values * 1e6).astype(np.int64),
                block=1,
                slices=tuple(map(len, np.array_split(values, len(distances) or 1))),
                walls=(int(values.sum() * 1e6),),
                distances=tuple(distances),
                warmup=np.ones(1, dtype=np.int64),
                steady=True,
                stopped="count",
                timer=50.0,
                empty_call=50.0,
            ),
            SessionInfo(0.1, runtime_version=version, libraries={"onnxruntime": version}),
        )
        for values in processes or [stream()]
    ]
    where = build.benchmark("x86", folder or runtime)
    evaluation = evaluation_of(sittings, X86, find_runtime(runtime, "x86"), threads, rule)
    verification = (
        Verification(Verdict(verdict), cause, "as the test wants it") if verdict else None
    )
    evaluation = replace(
        evaluation,
        precision=precision,
        samples_file=(where / "samples.npz").relative_to(build.path).as_posix(),
        build_name=build.name,
        verification=verification,
        performance=replace(evaluation.performance, flags=tuple(flags)),
        **details,
    )
    save_evaluation(where, sittings, evaluation)
    add_evaluation(build, evaluation)
    return evaluation


def fail(cache, reason, digest="aaaaaaaa", precision="fp32"):
    """Add a failure to a cache."""
    evaluation = failed(X86, find_runtime("ort", "x86"), reason)
    add_evaluation(folder_of(cache, "net", digest), replace(evaluation, precision=precision))


def folder_of(cache, script, digest):
    build = BuildFolder(cache, build_name(script, digest))
    model = {"model_name": "model", "model_hash": f"{digest[:4]}0000", "hash": digest}
    update_stats(build, build_name=build.name, parameters=60, **model)
    return build


@pytest.fixture
def a(tmp_path):
    return tmp_path / "a"


@pytest.fixture
def b(tmp_path):
    return tmp_path / "b"


def between(one, other):
    return compare_measurements(str(one), str(other))


def names(rows):
    return sorted(row.item.build_name for row in rows)


def run(*words):
    """The exit status of the command."""
    with pytest.raises(SystemExit) as ended:
        main(["compare", *map(str, words)])
    return ended.value.code


def test_each_row_gets_a_ratio_an_interval_and_a_verdict_and_the_largest_change_is_first(a, b):
    for digest, factor in {"aaaaaaaa": 1.0, "bbbbbbbb": 1.1, "cccccccc": 0.8}.items():
        measure(a, stream(seed=1), digest=digest)
        measure(b, stream(factor, seed=2), digest=digest)
    found = between(a, b)
    assert [row.verdict for row in found.rows] == ["FASTER", "SLOWER", "SAME"]
    assert [row.ratio for row in found.rows] == pytest.approx([0.8, 1.1, 1.0], rel=0.002)
    for row in found.rows:
        assert row.ratio_low < row.ratio < row.ratio_high < 1.02 * row.ratio
        assert row.ratio == row.median_b / row.median_a
    assert found.verdicts == {"FASTER": 1, "SLOWER": 1, "SAME": 1, "UNCLEAR": 0}
    assert found.geometric_mean.rows == 3
    assert found.geometric_mean.ratio == pytest.approx((1.1 * 0.8) ** (1 / 3), rel=0.002)
    assert found.geometric_mean.low < found.geometric_mean.ratio < found.geometric_mean.high
    assert between(a, b) == found


def test_rows_are_told_apart_by_runtime_precision_parameters_and_invocation(a, b):
    for cache in (a, b):
        measure(cache)
        measure(cache, runtime="torch-eager")
        measure(cache, precision="fp16", folder="ort-fp16")
        measure(cache, digest="bbbbbbbb", parameters={"batch_size": "2"})
        measure(cache, digest="bbbbbbbb", parameters={"batch_size": "4"})
    found = between(a, b)
    assert len({(r.item.hash, r.item.kind) for r in found.rows}) == len(found.rows) == 5
    assert found.appeared == found.vanished == ()


def test_a_script_that_was_renamed_is_still_the_same_model(a, b):
    measure(a, script="before")
    measure(b, script="after")
    (row,) = between(a, b).rows
    assert row.item.build_name == "after_aaaaaaaa"
    assert "build_name: before_aaaaaaaa in A, after_aaaaaaaa in B" in render(between(a, b), "text")


def test_two_scripts_with_one_model_are_matched_by_name(a, b):
    measure(a, stream(1.0), script="one")
    measure(a, stream(2.0), script="two")
    measure(b, stream(2.0), script="two")
    measure(b, stream(3.0), script="three")
    found = between(a, b)
    assert names(found.rows) == ["two_aaaaaaaa"]
    assert found.rows[0].ratio == pytest.approx(1.0)
    assert names(found.vanished) == ["one_aaaaaaaa"]
    assert names(found.appeared) == ["three_aaaaaaaa"]


def test_of_several_measurements_of_one_thing_the_newest_counts(a, b, tmp_path):
    measure(a, stream(5.0), measured_at="2024-05-01T12:00:00+0200")
    measure(tmp_path / "c", stream(1.0), measured_at="2024-05-01T11:00:00+0000")
    measure(tmp_path / "d", stream(7.0), measured_at="2024-05-01T09:59:00+0000")
    (report,) = write_report([a, tmp_path / "c", tmp_path / "d"], tmp_path)
    measure(b, stream(1.0))
    (row,) = between(report, b).rows
    assert row.median_a == pytest.approx(1.0, rel=0.01)


def test_what_is_on_one_side_only_appeared_or_vanished(a, b):
    measure(a)
    measure(b)
    measure(a, digest="bbbbbbbb")
    measure(b, digest="cccccccc")
    found = between(a, b)
    assert names(found.vanished) == ["net_bbbbbbbb"]
    assert names(found.appeared) == ["net_cccccccc"]
    text = render(found, "text")
    assert "Vanished: only in A:\n  net_bbbbbbbb (ort fp32): " in text
    assert "1 SAME, 1 vanished, 1 appeared" in text


def test_failures_are_changes_of_their_own_with_their_reasons(a, b):
    measure(a)
    fail(b, "it\nbroke")
    fail(a, "old trouble", digest="bbbbbbbb")
    measure(b, digest="bbbbbbbb")
    fail(a, "x", digest="cccccccc")
    fail(b, "y", digest="cccccccc")
    found = between(a, b)
    assert found.rows == ()
    assert found.geometric_mean is None
    text = render(found, "text")
    assert "net_aaaaaaaa (ort fp32): was successful, now failed: it broke" in text
    assert "net_bbbbbbbb (ort fp32): had failed, now successful; it was: old trouble" in text
    assert "net_cccccccc (ort fp32): failed before and now: y" in text
    assert "1 now failed, 1 now successful, 1 failed in both" in text


def test_a_build_that_failed_stands_for_everything_that_was_measured_of_it(a, b):
    measure(a)
    measure(a, precision="fp16", folder="ort-fp16")
    build = folder_of(b, "net", "aaaaaaaa")
    update_stats(build, build={"status": "failed_build", "failure": "no export"})
    found = between(a, b)
    assert {(f.item.label, f.failure_b) for f in found.failures} == {
        ("ort fp32", "no export"),
        ("ort fp16", "no export"),
    }
    assert found.appeared == found.vanished == ()


def test_a_runtime_that_refused_replaces_what_it_measured_before(a, b):
    for cache in (a, b):
        measure(cache)
    fail(b, "its files were removed", precision="")
    (failure,) = between(a, b).failures
    assert (failure.item.label, failure.failure_a) == ("ort fp32", None)
    measure(b)
    assert [row.verdict for row in between(a, b).rows] == ["SAME"]


def test_a_wrong_result_that_is_fast_is_not_faster(a, b):
    for digest in ("aaaaaaaa", "bbbbbbbb", "cccccccc"):
        measure(a, digest=digest)
    measure(b, stream(0.5), verdict="mismatch")
    measure(b, stream(0.9), digest="bbbbbbbb", verdict="nondeterministic")
    measure(b, stream(0.9), digest="cccccccc", verdict=None)
    found = between(a, b)
    wrong, *others = found.rows
    assert wrong.verdict == "UNCLEAR"
    assert wrong.ratio == pytest.approx(0.5, rel=0.01)
    assert {row.verdict for row in others} == {"FASTER"}
    assert (found.geometric_mean.rows, found.geometric_mean.left_out) == (1, 2)
    assert found.geometric_mean.ratio == pytest.approx(0.9, rel=0.01)
    text = render(found, "text")
    assert "UNCLEAR (mismatch)" in text
    assert "it no longer computes the same as the original: a mismatch in B" in text
    assert "net_aaaaaaaa (ort fp32): match in A, mismatch in B" in text
    assert "over 1 row, 2 left out" in text


@pytest.mark.parametrize("kind", [kind for kind in FlagKind if kind.discredits])
def test_a_latency_that_is_not_credible_is_compared_with_nothing(a, b, kind):
    for digest in ("aaaaaaaa", "bbbbbbbb"):
        measure(a, digest=digest)
    measure(b, stream(0.01), flags=[Flag(kind, "It is too fast.")])
    measure(b, stream(0.9), digest="bbbbbbbb")
    for side in (b, saved_report(b)):
        found = between(a, side)
        doubted, other = found.rows
        assert (doubted.verdict, doubted.undecided) == ("UNCLEAR", "not credible")
        assert (other.verdict, other.undecided) == ("FASTER", None)
        assert found.geometric_mean.rows == 1
        assert f"the latency in B is not credible ({kind})" in render(found, "text")
        assert "UNCLEAR (not credible)" in render(found, "text")
        assert "1 of 2 rows could not be decided: 1 not credible." in render(found, "markdown")
    assert [row.verdict for row in between(b, a).rows] == ["UNCLEAR", "SLOWER"]
    assert run(a, b, "--fail-on", "unclear") == 1


def saved_report(cache):
    """The path of the report of a cache, which has no raw samples."""
    (path,) = write_report([cache], cache.parent / f"report_{cache.name}")
    return path


def test_a_match_on_the_recorded_inputs_alone_is_marked(a, b):
    for digest in ("aaaaaaaa", "bbbbbbbb"):
        measure(a, digest=digest)
        measure(b, digest=digest, cause=Cause.RECORDED_ONLY)
    for side in (b, saved_report(b)):
        found = between(a, side)
        text = render(found, "text")
        words = "match in A, match (recorded inputs only) in B"
        assert f"net_aaaaaaaa (ort fp32): {words}" in text
        assert "verified on the recorded inputs only in B (2 rows)" in text
        assert {row.cause_b for row in found.rows} == {Cause.RECORDED_ONLY}
        (first, _) = csv.DictReader(io.StringIO(render(found, "csv")))
        assert (first["cause_a"], first["cause_b"]) == (
            "within tolerance",
            "on the recorded inputs only",
        )


def gate(a, b, *conditions):
    """The conditions of ``--fail-on`` that are met, by their first words."""
    met = conditions_met(between(a, b), fail_on=conditions)
    return [condition.partition(":")[0] for condition in met]


ALL = ("slower:5%", "failed", "vanished", "mismatch", "unclear")


@pytest.mark.parametrize(
    ("before", "after", "met"),
    [
        ({}, {"verdict": "mismatch"}, ["mismatch", "unclear"]),
        ({}, {"verdict": "close"}, []),
        ({}, {"verdict": "specialised"}, []),
        ({"verdict": None}, {"verdict": "mismatch"}, ["mismatch", "unclear"]),
        ({"verdict": "close"}, {"verdict": "mismatch"}, ["mismatch", "unclear"]),
        ({"verdict": "mismatch"}, {"verdict": "mismatch"}, ["unclear"]),
        ({"verdict": "mismatch"}, {}, ["unclear"]),
        ({}, {"verdict": None}, []),
        ({}, {"flags": [Flag(FlagKind.SEEN, "")]}, ["unclear"]),
        ({}, {"flags": [Flag(FlagKind.STATE, "")]}, []),
        ({"reason": "it broke"}, {}, []),
        ({"reason": "it broke"}, {"verdict": "mismatch"}, ["mismatch"]),
        ({"reason": "it broke"}, {"reason": "it broke"}, []),
        ({}, {"reason": "it broke"}, ["failed"]),
        (None, {}, []),
        (None, {"verdict": "mismatch"}, ["mismatch"]),
        (None, {"reason": "it broke"}, []),
        ({}, None, ["vanished"]),
        ({"verdict": "mismatch"}, None, ["vanished"]),
    ],
)
def test_each_condition_catches_what_the_page_says(a, b, before, after, met):
    """docs/compare.md has these cases in a table."""
    for side, one in ((a, before), (b, after)):
        measure(side, digest="bbbbbbbb")  # without a row on both sides nothing is compared
        if one is not None and "reason" in one:
            fail(side, one["reason"])
        elif one is not None:
            measure(side, **one)
    assert gate(a, b, *ALL) == met


def test_slower_but_unclear_is_not_slower(a, b):
    measure(a, stream(1.0, 1, count=40))
    measure(b, 1.06 * np.random.default_rng(2).normal(1.0, 0.2, 40))
    found = between(a, b)
    assert (found.rows[0].verdict, found.rows[0].undecided) == ("UNCLEAR", "interval too wide")
    assert gate(a, b, *ALL) == ["unclear"]
    assert conditions_met(found, fail_on="unclear") == [
        "unclear: net_aaaaaaaa (ort fp32): interval too wide"
    ]


def test_how_many_rows_could_not_be_decided_is_always_told(a, b, capsys, tmp_path):
    for digest in ("aaaaaaaa", "bbbbbbbb", "cccccccc"):
        measure(a, digest=digest)
        measure(b, digest=digest)
    assert "0 of 3 rows could not be decided." in render(between(a, b), "text")
    measure(b, verdict="mismatch")
    measure(b, stream(2.0, count=3), digest="bbbbbbbb")
    said = "2 of 3 rows could not be decided: 1 mismatch, 1 no interval."
    found = between(a, b)
    assert said in render(found, "text")
    assert said in render(found, "markdown")
    assert report_of(found).facts["undecided"] == said  # for the page
    assert to_dict(found)["undecided"]["mismatch"] == 1
    assert run(a, b, "--fail-on", "slower:500%", "-o", tmp_path / "x.csv") == 0
    assert capsys.readouterr().err == f"turnkey compare: {said}\n"


def test_too_few_runs_for_an_interval_are_unclear(a, b):
    measure(a, stream(count=3))
    measure(b, stream(2.0))
    (row,) = between(a, b).rows
    assert (row.verdict, row.ratio_low, row.ratio_high) == ("UNCLEAR", None, None)
    assert row.ratio == pytest.approx(2.0, rel=0.05)
    assert row.notes == ("no interval in A: too few independent runs",)
    assert between(a, b).geometric_mean is None


def test_without_raw_samples_the_recorded_interval_decides(a, b):
    measure(a, stream(seed=1))
    measure(b, stream(1.1, seed=2))
    exact = between(a, b).rows[0]
    for file in a.rglob("samples.npz"):
        file.write_bytes(b"no archive")
    (row,) = between(a, b).rows
    assert row.verdict == exact.verdict == "SLOWER"
    assert row.notes == ("no raw samples in A: compared by the interval of its median",)
    assert (row.ratio_low, row.ratio_high) == pytest.approx(
        (exact.ratio_low, exact.ratio_high), rel=0.005
    )


def test_samples_that_a_later_measurement_overwrote_are_not_mistaken_for_the_earlier_ones(a, b):
    for cache in (a, b):
        measure(cache, stream(1.0), parameters={"n": "1"})
        measure(cache, stream(9.0), parameters={"n": "2"})
    for row in between(a, b).rows:
        assert bool(row.notes) == (row.item.parameters == {"n": "1"})


NEAR, FAR = 1.5, 3.9
"""How far apart processors are that share a cache, and that do not."""


def test_processors_that_were_moved_between_the_sides_make_no_difference(a, b):
    measure(a, stream(1.0), distances=[NEAR] * 10)
    measure(b, stream(1.06, seed=1), distances=[FAR] * 10)
    found = between(a, b)
    (row,) = found.rows
    assert row.verdict == "UNCLEAR"
    assert (row.ratio_low, row.ratio_high) == (None, None)
    assert row.ratio_raw == row.ratio == pytest.approx(1.06, rel=0.01)
    assert "2.6 times as slowly in B" in row.notes[0]
    assert found.geometric_mean is None


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "SAME"), (1.03, "SLOWER")])
def test_only_runs_with_the_processors_in_the_same_place_are_compared(a, b, factor, verdict):
    measure(a, stream(1.0, count=2000), distances=[NEAR] * 10)
    moved = np.concatenate([stream(factor, 1, 800), stream(1.06 * factor, 2, 1200)])
    measure(b, moved, distances=[NEAR] * 4 + [FAR] * 6)
    (row,) = between(a, b).rows
    assert row.verdict == verdict
    assert row.ratio == pytest.approx(factor, rel=0.003)
    assert row.ratio_raw > 1.03 * factor
    assert "(100% of A, 40% of B)" in row.notes[0]


def test_of_several_processes_those_in_the_same_place_are_compared(a, b):
    measure(a, *(stream(1.0, seed) for seed in range(5)), distances=[NEAR] * 4)
    half = [np.concatenate([stream(1.06, s, 500), stream(1.0, s + 9, 500)]) for s in range(5)]
    measure(b, *half, distances=[FAR, FAR, NEAR, NEAR])
    (row,) = between(a, b).rows
    assert row.verdict == "SAME"


@pytest.mark.parametrize(
    "same",
    [
        {"distances": [1.7] * 10},
        {"distances": ()},
        {"distances": [None] * 10},
        {"distances": [FAR] * 10, "threads": 1},
    ],
)
def test_a_placement_that_is_alike_or_unknown_or_without_effect_changes_nothing(a, b, same):
    threads = same.get("threads", 2)
    measure(a, stream(1.0), distances=[NEAR] * 10, threads=threads)
    measure(b, stream(1.06, seed=1), **same)
    (row,) = between(a, b).rows
    assert (row.verdict, row.notes) == ("SLOWER", ())


def test_another_cpu_is_a_difference_of_its_own(a, b):
    measure(a, stream(1.0), distances=[NEAR] * 10)
    there = measure(b, stream(1.06, seed=1), distances=[FAR] * 10)
    conditions = replace(there.conditions, cpu="another CPU")
    add_evaluation(folder_of(b, "net", "aaaaaaaa"), replace(there, conditions=conditions))
    (row,) = between(a, b).rows
    assert row.verdict == "SLOWER"


def test_a_report_knows_where_the_processors_were(a, b, tmp_path):
    measure(a, stream(1.0), distances=[NEAR] * 10)
    measure(b, stream(1.06, seed=1), distances=[FAR] * 10)
    (report,) = write_report([b], tmp_path)
    (row,) = between(a, report).rows
    assert row.verdict == "UNCLEAR"
    assert "moved the processors" in row.notes[0]


def remembered(cache, speed, *processes):
    """A measurement while so many gigabytes were copied in a second."""
    found = measure(cache, *processes, rule=RIGOROUS_RULE)
    conditions = replace(found.conditions, memory_speed=speed)
    add_evaluation(folder_of(cache, "net", "aaaaaaaa"), replace(found, conditions=conditions))


@pytest.mark.parametrize(
    ("speed", "verdict"), [(20.0, "SLOWER"), (20.3, "SLOWER"), (18.4, "UNCLEAR"), (None, "SLOWER")]
)
def test_less_is_told_if_the_memory_was_slower(a, b, speed, verdict):
    processes = [stream(1.0, seed) for seed in range(5)]
    remembered(a, 20.0, *processes)
    remembered(b, speed, *(1.024 * values for values in processes))
    (row,) = between(a, b).rows
    assert row.verdict == verdict
    assert row.ratio == pytest.approx(1.024, rel=0.001)
    assert [note for note in row.notes if "memory" in note] == (
        ["the memory was 8% slower in B, so that less can be told"] if verdict == "UNCLEAR" else []
    )


def test_memory_that_was_faster_does_not_explain_a_slower_run(a, b):
    processes = [stream(1.0, seed) for seed in range(5)]
    remembered(a, 20.0, *processes)
    remembered(b, 21.6, *(1.024 * values for values in processes))
    (row,) = between(a, b).rows
    assert row.verdict == "SLOWER"
    assert "the memory was 8% faster in B" in row.notes[0]


@pytest.mark.parametrize(("share", "verdict"), [(0.4, "SLOWER"), (0.9, "UNCLEAR")])
def test_memory_explains_more_of_a_model_that_reads_much(a, b, share, verdict):
    processes = [stream(1.0, seed) for seed in range(5)]
    for cache, speed, factor in ((a, 20.0, 1.0), (b, 18.4, 1.06)):
        found = measure(cache, *(factor * values for values in processes), rule=RIGOROUS_RULE)
        many = int(share * speed * 1e9 * found.performance.median_latency / 1e3)
        conditions = replace(found.conditions, memory_speed=speed)
        known = replace(found, conditions=conditions, memory_before_bytes=0, peak_memory_bytes=many)
        add_evaluation(folder_of(cache, "net", "aaaaaaaa"), known)
    assert between(a, b).rows[0].verdict == verdict


def test_a_large_change_is_told_whatever_the_memory_did(a, b):
    processes = [stream(1.0, seed) for seed in range(5)]
    remembered(a, 20.0, *processes)
    remembered(b, 18.4, *(1.2 * values for values in processes))
    (row,) = between(a, b).rows
    assert row.verdict == "SLOWER"


def test_what_differs_in_the_conditions_is_said_once_for_all_rows(a, b):
    for digest in ("aaaaaaaa", "bbbbbbbb", "cccccccc"):
        measure(a, digest=digest, artifact_sha256=f"1{digest}")
        measure(b, digest=digest, artifact_sha256=f"2{digest}", version="1.31")
    measure(a, digest="dddddddd", rule=Rule.exactly(1000))
    measure(
        b, digest="dddddddd", rule=Rule.exactly(500), flags=[Flag(FlagKind.LOAD, "It was loud.")]
    )
    text = render(between(a, b), "text")
    assert text.count("runtime_version: 1.30 in A, 1.31 in B (3 rows)") == 1
    assert text.count("1.31") == 1
    assert text.count("artifact_sha256: another file in B (3 rows)") == 1
    assert "rule: 1000 iterations in A, 500 iterations in B (net_dddddddd (ort fp32))" in text
    assert "load in B, net_dddddddd (ort fp32): It was loud." in text
    table = text.split("\n\n")[1].splitlines()
    assert table[0].endswith("cautions")
    assert [line.split()[0] for line in table if line.endswith("load")] == ["net_dddddddd"]


def changed(a, b):
    """Two caches that differ in every way there is."""
    for number, digest in enumerate(("aaaaaaaa", "bbbbbbbb", "cccccccc")):
        measure(a, stream(seed=number), digest=digest)
        measure(b, stream((1.0, 1.1, 0.9)[number], seed=9 + number), digest=digest)
    measure(a, digest="dddddddd")
    fail(b, "it broke", digest="dddddddd")
    measure(a, digest="eeeeeeee", parameters={"batch_size": "2"})
    measure(b, digest="ffffffff")


def test_a_report_tells_the_same_as_the_cache_that_it_was_made_from(a, b, tmp_path):
    changed(a, b)
    expected = between(a, b)
    (report,) = write_report([a], tmp_path)
    (other,) = write_report([b], tmp_path / "r")
    for found in (between(report, b), between(report, other)):
        assert [(r.item, r.verdict) for r in found.rows] == [
            (r.item, r.verdict) for r in expected.rows
        ]
        assert found.failures == expected.failures
        assert found.vanished == expected.vanished
        assert found.appeared == expected.appeared
        assert [r.differences for r in found.rows] == [r.differences for r in expected.rows]


def test_one_build_several_builds_and_single_evaluations_can_be_compared(a, b, tmp_path):
    changed(a, b)
    (one,) = between(a / "net_bbbbbbbb", b).rows
    assert one.verdict == "SLOWER"
    several = compare_measurements(f"{a}/net_[bc]*", str(b))
    assert names(several.rows) == ["net_bbbbbbbb", "net_cccccccc"]
    file = a / "net_bbbbbbbb" / "x86_benchmark" / "ort" / "evaluation.json"
    (row,) = between(file, b).rows
    assert row == one
    taken_out = shutil.copy(file, tmp_path)
    (row,) = between(taken_out, b).rows
    assert (row.item, row.verdict) == (one.item, "SLOWER")


def document(path, *measurements, **result):
    """What ``benchmark --json`` prints about measurements of one model."""
    record = InvocationRecord(
        name="model",
        model_type="",
        class_name="",
        class_repr="",
        file="net.py",
        line=1,
        parameters=60,
        parameter_bytes=240,
        model_hash="aaaa0000",
        hash="aaaaaaaa",
        parent_hash=None,
        depth=0,
        shapes={},
        dtypes={},
        build_name="net_aaaaaaaa",
    )
    found = InvocationResult(record, evaluations=measurements, **result)
    results = [InputResult(Input("net.py"), invocations=(found,))]
    path.write_text(to_json(make_document("benchmark", ok=True, results=results)))
    return path


def test_the_output_of_json_can_be_compared(a, b, tmp_path):
    before = document(tmp_path / "before.json", measure(a, stream(1.0)))
    after = document(tmp_path / "after.json", measure(b, stream(1.1)))
    broken = document(tmp_path / "broken.json", failure="no export")
    assert [row.verdict for row in between(before, after).rows] == ["SLOWER"]
    assert [row.verdict for row in between(before, b).rows] == ["SLOWER"]
    assert [f.failure_b for f in between(before, broken).failures] == ["no export"]


def test_every_format_has_every_row(a, b):
    changed(a, b)
    found = between(a, b)
    text, markdown = (render(found, form) for form in ("text", "markdown"))
    for name in ("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee", "ffffffff"):
        assert f"net_{name}" in text
        assert f"net_{name}" in markdown
    assert "net_eeeeeeee (ort fp32, batch_size=2)" in text
    assert markdown.splitlines()[3].startswith("| build | runtime | A (ms) | B (ms) | B/A |")
    assert sum(line.startswith("| net_") for line in markdown.splitlines()) == 3
    table = list(csv.DictReader(io.StringIO(render(found, "csv"))))
    assert [(line["change"], line["verdict"]) for line in table] == [
        ("matched", "FASTER"),
        ("matched", "SLOWER"),
        ("matched", "SAME"),
        ("failed", ""),
        ("vanished", ""),
        ("appeared", ""),
    ]
    assert float(table[0]["ratio"]) == found.rows[0].ratio
    assert (table[3]["failure_a"], table[3]["failure_b"]) == ("", "it broke")
    assert table[4]["parameters"] == "batch_size=2"
    assert (table[5]["median_a"], float(table[5]["median_b"])) == ("", found.appeared[0].median)


def test_the_comparison_is_plain_data(a, b):
    changed(a, b)
    found = make_document("compare", ok=True, comparison=between(a, b))["comparison"]
    assert found == to_dict(between(a, b))
    assert found["rows"][0]["verdict"] in ("FASTER", "SLOWER")
    assert to_json(found)


@pytest.mark.parametrize(
    ("conditions", "status", "said"),
    [
        ("", 0, ""),
        ("slower:5%", 1, "slower:5%: net_bbbbbbbb (ort fp32) at 1."),
        ("slower:9.5%", 1, "slower:9.5%: net_bbbbbbbb"),
        ("slower:20%", 0, ""),
        ("failed", 1, "failed: net_dddddddd (ort fp32)."),
        ("vanished", 1, "vanished: net_eeeeeeee (ort fp32, batch_size=2)."),
        ("slower:20% failed vanished", 1, "failed: net_dddddddd (ort fp32); vanished: "),
        ("slower:20%,failed", 1, "failed: net_dddddddd"),
    ],
)
def test_fail_on_decides_the_exit_status(tmp_path, capsys, conditions, status, said):
    a, b = tmp_path / "a", tmp_path / "b"
    changed(a, b)
    words = ["--fail-on", *conditions.split()] if conditions else []
    assert run(a, b, *words) == status
    printed = capsys.readouterr()
    assert "net_bbbbbbbb" in printed.out
    assert said in printed.err
    assert bool(printed.err) == bool(status)
    assert len(printed.err.splitlines()) == status


def test_nothing_fails_where_nothing_changed(a, capsys):
    changed(a, a.parent / "b")
    fail(a, "as before", digest="99999999")
    words = ["--fail-on", "slower:0%", "failed", "vanished"]
    assert run(a, a, *words) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "word",
    [
        "slower",
        "slower:",
        "slower:5",
        "slower:1.05",
        "slower:-5%",
        "slower:x%",
        "Failed",
        "gone",
        "",
    ],
)
def test_what_fail_on_does_not_know_is_refused_before_anything_is_read(capsys, word):
    assert run("nowhere", "nowhere", "--fail-on", word) == 2
    error = capsys.readouterr().err
    assert repr(word) in error
    assert "slower:P% (such as slower:5%), failed, vanished, mismatch, unclear" in error


@pytest.mark.parametrize("words", [["a", "b", "--format", "pdf"], ["a"], ["--fail-on", "failed"]])
def test_wrong_words_are_refused(capsys, words):
    assert run(*words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_cannot_be_compared_is_said_in_a_sentence(a, b, tmp_path):
    measure(a)
    empty, foreign, built = tmp_path / "empty", tmp_path / "foreign", tmp_path / "built"
    empty.mkdir()
    (foreign / "photos").mkdir(parents=True)
    folder_of(built, "net", "aaaaaaaa")
    files = {
        "other.csv": b"name,price\nx,1\n",
        "nothing.csv": b"",
        "picture.csv": b"\x89PNG\xff\xfe",
        "half.json": b'{"schema": "turn',
        "other.json": b'{"schema": "turnkey/9", "results": []}',
        "changed.json": b'{"device_type": "x86", "runtime": "ort", "performance": 3}',
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    expected = {
        tmp_path / "nowhere": "does not exist; name a cache directory",
        tmp_path / "nowhere_*": "No build folder and no file matches ",
        empty: "is empty: it contains no builds",
        foreign: "is not a cache: it contains no builds",
        built: "contains no measurements",
        tmp_path / "other.csv": "it has no column build_name, model_hash",
        tmp_path / "nothing.csv": "it has no column build_name",
        tmp_path / "picture.csv": "is not a text file",
        tmp_path / "half.json": "is not valid JSON",
        tmp_path / "other.json": "nor a document with results of schema turnkey/1",
        tmp_path / "changed.json": "is damaged",
    }
    for path, words in expected.items():
        for sides in ((path, a), (a, path)):
            with pytest.raises(TurnkeyError, match=r"^[^\n]+\.$") as error:
                between(*sides)
            assert words in str(error.value)
            assert path.name in str(error.value)


def test_sides_without_anything_in_common_are_an_error_that_says_what_to_do(a, b, capsys):
    measure(a)
    measure(b, digest="bbbbbbbb")
    assert run(a, b) == 1
    error = capsys.readouterr().err
    assert "have no model in common; measure the same scripts" in error
    measure(b, runtime="torch-eager")
    assert run(a, b) == 1
    assert "(ort fp32 and ort fp32, torch-eager fp32)" in capsys.readouterr().err


def test_what_cannot_be_read_is_told_and_costs_nothing_else(a, b):
    measure(a)
    measure(b)
    folder_of(b, "net", "bbbbbbbb").stats.write_text("evaluations: [{device_type: x86}]\nhash: b\n")
    folder_of(b, "net", "cccccccc").stats.write_text("{")
    found = between(a, b)
    assert len(found.rows) == 1
    assert found.remarks == (
        "In B: An evaluation of build net_bbbbbbbb cannot be read.",
        "In B: The stats of build net_cccccccc cannot be read.",
    )
    assert "cannot be read" in render(found, "text")


def test_comparing_imports_neither_torch_nor_a_runtime(a, b):
    changed(a, b)
    check = (
        "import sys\n"
        "from turnkeyml.cli.entry import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print([m for m in ('torch', 'onnx', 'onnxruntime') if m in sys.modules])"
    )
    words = ["compare", a, b, "--format", "csv"]
    done = subprocess.run(
        [sys.executable, "-c", check, *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("change,build_name")
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_program_compares(turnkey, a, b):
    changed(a, b)
    done = turnkey("compare", a, b, "--fail-on", "slower:5%")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == f"A: {Path(a)}"
    assert "1 FASTER, 1 SLOWER, 1 SAME, 1 now failed, 1 vanished, 1 appeared" in done.stdout
    assert done.stderr.startswith(
        "turnkey compare: --fail-on condition met: slower:5%: net_bbbbbbbb"
    )
