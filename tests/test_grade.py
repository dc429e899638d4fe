"""Grades, and the few sentences below a number that say what was wrong and what to do."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest

from turnkeyml.display import (
    build_lines,
    cautions,
    every_caution,
    line_of,
    listing,
    performance_lines,
    race_lines,
)
from turnkeyml.measure import disturbance_of, disturbances, grade_of, margin_of
from turnkeyml.nouns import (
    TRAITS,
    Conditions,
    Evaluation,
    Flag,
    FlagKind,
    Grade,
    Input,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Performance,
    RaceResult,
    RaceRow,
    UnderLoad,
)
from turnkeyml.report import Item, row_of_evaluation

INVOCATION = InvocationRecord(
    name="model",
    model_type="",
    class_name="",
    class_repr="",
    file="",
    line=0,
    parameters=1,
    parameter_bytes=4,
    model_hash="",
    hash="12345678",
    parent_hash=None,
    depth=0,
    shapes={},
    dtypes={},
    build_name="script_12345678",
)


def performance(width: float | None, *kinds: str, **changes: object) -> Performance:
    """A median of 10 ms, known to ``width``, with flags that say their own kind."""
    figures: dict[str, object] = {
        "mean_latency": 10.0,
        "throughput": 100.0,
        "iterations": 200,
        "median_latency": 10.0,
        "p90_latency": None,
        "latency_standard_deviation": 0.0,
        "min_latency": 10.0,
        "max_latency": 10.0,
        "warmup_iterations": 5,
        "wall_seconds": 2.0,
        "flags": tuple(Flag(FlagKind(kind), f"The {kind} flag: do this.") for kind in kinds),
    }
    if width is not None:
        figures |= {"median_low": 10 * (1 - width), "median_high": 10 * (1 + width)}
    return Performance(**{**figures, **changes})


def conditions(rule: str = "default", **changes: object) -> Conditions:
    """Two processors, and nothing else goes on unless told."""
    facts: dict[str, object] = {"usable_cores": 2, "processors": "0,1", "threads": 2}
    return Conditions("", "", "", "", **{**facts, "rule": {"name": rule}, **changes})


def evaluation(
    width: float | None,
    *kinds: str,
    runtime: str = "ort",
    rule: str = "default",
    **changes: object,
) -> Evaluation:
    figures, facts = performance(width, *kinds), conditions(rule, **changes)
    return Evaluation(
        "x86",
        "a CPU",
        runtime,
        precision="fp32",
        grade=grade_of(figures, facts),
        performance=figures,
        conditions=facts,
    )


# The grade


@pytest.mark.parametrize(
    ("width", "grade"),
    [(0.004, "A"), (0.0099, "A"), (0.02, "B"), (0.04, "C"), (0.0999, "C"), (0.2, "D"), (None, "D")],
)
def test_on_a_quiet_machine_the_interval_alone_decides(width, grade):
    assert grade_of(performance(width), conditions()) == grade


@pytest.mark.parametrize(
    ("facts", "grade"),
    [
        ({"other_cores": 0.1, "worst_other_cores": 0.2}, "A"),
        ({"other_cores": 0.1, "worst_other_cores": 1.5}, "A"),
        ({"other_cores": 0.15}, "B"),
        ({"other_cores": 0.2}, "C"),
        ({"other_cores": 0.6}, "D"),
        ({"stolen_share": 0.005}, "A"),
        ({"stolen_share": 0.02}, "B"),
        ({"stolen_share": 0.2}, "D"),
        ({"throttled_seconds": 0.01}, "A"),
        ({"throttled_seconds": 0.1}, "C"),
        ({"overheated": 3}, "C"),
        ({"threads": 64}, "A"),
        ({"other_cores": None, "stolen_share": None, "throttled_seconds": None}, "A"),
    ],
)
def test_what_others_took_lowers_the_grade_whatever_the_interval_says(facts, grade):
    assert grade_of(performance(0.004), conditions(**facts)) == grade


@pytest.mark.parametrize(
    ("kind", "grade"),
    [
        ("cap", "A"),
        ("settled", "A"),
        ("variation", "A"),
        ("threads", "A"),
        ("processes", "A"),
        ("drift", "B"),
        ("unsteady", "B"),
        ("heat", "C"),
    ],
)
def test_flags_lower_the_grade_only_if_the_interval_does_not_show_it(kind, grade):
    assert grade_of(performance(0.004, kind), conditions()) == grade


@pytest.mark.parametrize(
    ("timer", "block", "grade"), [(0.05, 1, "A"), (0.2, 1, "B"), (2.0, 1, "D"), (2.0, 100, "A")]
)
def test_reading_the_clock_counts_per_sample(timer, block, grade):
    found = performance(0.004, timer_latency=timer, runs_per_sample=block)
    assert grade_of(found, conditions()) == grade


def test_the_margin_is_the_larger_of_width_and_disturbance():
    loud = conditions(other_cores=0.2)
    assert margin_of(performance(0.02), loud) == pytest.approx(0.05)
    assert margin_of(performance(0.08), loud) == pytest.approx(0.08)
    assert margin_of(performance(None), loud) == math.inf
    assert disturbance_of(performance(None), loud) == pytest.approx(0.05)


def test_what_the_samples_show_counts_where_the_conditions_are_not_known():
    assert grade_of(performance(0.004, "drift"), None) == Grade.B


# The sentences


def test_nothing_is_said_about_an_a():
    assert cautions([evaluation(0.004, "threads", "variation", "timer", "load", "cap")]) == []


@pytest.mark.parametrize("kind", ["processes", "quota"])
def test_what_was_not_done_as_asked_is_said_about_an_a_too(kind):
    found = evaluation(0.004, kind, "variation")
    assert found.grade == "A"
    assert cautions([found]) == [f"The {kind} flag: do this."]


@pytest.mark.parametrize("kind", [kind for kind in FlagKind if kind.discredits])
def test_a_latency_that_is_not_credible_gets_a_d_and_is_told_first(kind):
    found = evaluation(0.004, "heat", "artifact", "processes", kind, overheated=1)
    assert found.grade == "D"
    assert cautions([found]) == [f"The {kind} flag: do this.", "The artifact flag: do this."]


def test_what_is_too_fast_is_told_unless_its_cause_is():
    seen, implausible, method = "seen-inputs", "implausible", "outside-of-run"
    assert cautions([evaluation(0.004, implausible)]) == ["The implausible flag: do this."]
    told = cautions([evaluation(0.004, implausible, seen, method)])
    assert told == ["The seen-inputs flag: do this.", "The outside-of-run flag: do this."]


@pytest.mark.parametrize("kind", ["state", "folded", "values", "own-load"])
def test_what_a_latency_is_that_of_is_said_about_an_a_too(kind):
    found = evaluation(0.004, kind, "variation")
    assert found.grade == "A"
    assert cautions([found]) == [f"The {kind} flag: do this."]
    assert found.performance is not None
    assert found.performance.is_credible


def test_what_a_latency_is_that_of_is_graver_than_what_moves_it_a_little():
    found = evaluation(0.06, "state", "folded", "load", "drift", other_cores=0.9)
    assert cautions([found]) == ["The state flag: do this.", "The folded flag: do this."]


def test_a_quick_b_is_what_was_asked_for():
    assert cautions([evaluation(0.02, rule="quick")]) == []


@pytest.mark.parametrize(
    ("width", "rule", "sentence"),
    [
        (0.04, "quick", "The median is only known to ±4.0%: leave out --quick."),
        (
            0.12,
            "iterations",
            "The median is only known to ±12%: leave out --iterations or raise it.",
        ),
        (
            0.04,
            "default",
            "The median is only known to ±4.0%: measure on a quieter machine or with --rigorous.",
        ),
        (0.04, "rigorous", "The median is only known to ±4.0%: measure on a quieter machine."),
        (
            None,
            "iterations",
            "The samples are too few to tell how well the median is known: "
            "leave out --iterations or raise it.",
        ),
    ],
)
def test_a_wide_interval_is_said_with_what_to_do(width, rule, sentence):
    assert cautions([evaluation(width, rule=rule)]) == [sentence]


def test_a_queue_that_tells_too_little_needs_more_requests():
    busy = replace(evaluation(None), under_load=UnderLoad("rate=9", 700, 700, 2, 1, rate=9.0))
    (sentence,) = cautions([busy])
    assert sentence.endswith("known: send more requests, with --rigorous or --iterations.")


def test_of_an_overload_nothing_else_is_said():
    assert cautions([evaluation(None, "overload")]) == ["The overload flag: do this."]


def test_the_flags_of_a_wide_interval_are_one_sentence():
    (sentence,) = cautions([evaluation(0.02, "settled", "variation")])
    assert sentence.startswith("The median is only known to ±2.0%")


def test_other_programs_stand_for_all_that_they_do():
    kinds = ("settled", "unsteady", "drift", "variation", "load")
    assert cautions([evaluation(0.2, *kinds, other_cores=0.9)]) == ["The load flag: do this."]


def test_an_option_that_makes_it_short_is_said_beside_other_programs():
    found = evaluation(0.2, "load", "variation", other_cores=0.9, rule="quick")
    assert cautions([found]) == [
        "The load flag: do this.",
        "The median is only known to ±20%: leave out --quick.",
    ]


def test_unrest_without_a_known_cause_is_one_sentence():
    found = evaluation(0.004, "unsteady", "drift", "variation")
    assert cautions([found]) == ["The drift flag: do this."]


def test_the_two_gravest_are_said_causes_first():
    found = evaluation(
        None,
        *("few", "timer", "threads", "heat", "steal"),
        rule="iterations",
        overheated=1,
        stolen_share=0.12,
    )
    steal, few = cautions([found])
    assert steal == "The steal flag: do this."
    assert few.startswith("The samples are too few")


@pytest.mark.parametrize(("latency", "said"), [(0.02, False), (0.2, True)])
def test_what_reading_the_clock_costs_is_said_where_it_matters(latency, said):
    figures = performance(0.02, "timer", timer_latency=latency)
    found = Evaluation("x86", "a CPU", "ort", grade=Grade.B, performance=figures)
    assert cautions([found]) == ["The timer flag: do this."] * said


def test_contestants_are_named_only_where_not_all_are_meant():
    good = evaluation(0.004, runtime="torch-eager")
    wide = [evaluation(w, runtime=f"ort{w}", rule="quick") for w in (0.04, 0.05)]
    assert cautions([good, *wide]) == [
        "ort0.04 fp32, ort0.05 fp32: the medians are only known to ±5.0% at worst: "
        "leave out --quick."
    ]
    assert cautions(wide) == ["The medians are only known to ±5.0% at worst: leave out --quick."]


def test_one_load_is_said_once_for_all_contestants():
    loud = [evaluation(0.02, "load", runtime=r, other_cores=0.9) for r in ("ort", "torch-eager")]
    quiet = evaluation(0.004, runtime="torch-compiled")
    assert cautions([*loud, quiet]) == ["The load flag: do this."]


def test_a_contestant_that_failed_is_passed_over():
    lost = Evaluation("x86", "a CPU", "ort", status="failed", reason="It was killed.")
    assert cautions([lost]) == every_caution([lost]) == []


BUSY = [
    evaluation(
        width,
        *("unsteady", "drift", "variation", "load", "threads"),
        runtime=runtime,
        rule="quick",
        other_cores=0.9,
    )
    for runtime, width in (("ort", 0.06), ("torch-eager", 0.2), ("torch-compiled", None))
]


def test_a_race_on_a_busy_machine_has_two_lines_of_caution():
    assert len(every_caution(BUSY)) == 5
    assert cautions(BUSY) == [
        "The load flag: do this.",
        "torch-compiled fp32: the samples are too few to tell how well the median is known: "
        "leave out --quick.",
    ]


# Where they are shown


def shown(*evaluations: Evaluation, race: bool = False, verbose: bool = False) -> list[str]:
    rows = tuple(RaceRow(e.label, e) for e in evaluations)
    raced = RaceResult(None, 20, rows, verdict="No clear winner.") if race else None
    row = InvocationResult(INVOCATION, evaluations=evaluations, race=raced)
    result = InputResult(Input("script.py"), invocations=(row,))
    return listing(result, show_status=True, as_race=race, verbose=verbose).splitlines()


def captions(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines if "Caution:" in line]


def test_the_grade_stands_beside_the_median():
    (line,) = [line for line in shown(evaluation(0.004)) if "Median:" in line]
    assert line.strip() == (
        "Median:         10.00 ms (95% interval 9.960 to 10.04 ms, 200 runs), grade A"
    )


def test_a_record_without_a_grade_shows_none():
    old = Evaluation("x86", "a CPU", "ort", performance=performance(0.004))
    assert not any("grade" in line for line in shown(old))


@pytest.mark.parametrize("race", [False, True])
def test_a_listing_has_at_most_two_cautions_for_all(race):
    assert len(captions(shown(*BUSY, race=race))) == 2


@pytest.mark.parametrize(("race", "lines"), [(False, 15), (True, 5)])
def test_a_verbose_listing_has_every_flag(race, lines):
    assert len(captions(shown(*BUSY, race=race, verbose=True))) == lines


def test_a_build_that_is_measured_again_has_at_most_two_cautions():
    assert len(captions(build_lines("build", BUSY))) == 2
    assert len(captions(build_lines("build", BUSY, verbose=True))) == 15


def test_python_shows_the_grade_and_the_cautions_too():
    lines = performance_lines("Model", BUSY[0])
    assert lines[3].endswith(", grade D")
    assert lines[4] == "caution: The load flag: do this."
    assert len(performance_lines("Model", BUSY[0], verbose=True)) == 4 + 5


def test_a_race_has_a_column_of_grades():
    rows = tuple(RaceRow(e.label, e) for e in (evaluation(0.004), BUSY[2]))
    header, *lines, _ = race_lines(RaceResult(None, 20, rows, verdict="No clear winner."))
    place = header.index("grade")
    assert [line[place] for line in lines] == ["A", "D"]


@pytest.mark.parametrize(
    ("width", "words"), [(0.02, ""), (0.04, " (grade C)"), (0.2, " (grade D)")]
)
def test_an_overview_shows_only_bad_grades(width, words):
    row = InvocationResult(INVOCATION, evaluations=(evaluation(width),))
    line = line_of(InputResult(Input("script.py"), invocations=(row,)))
    assert line == f"measured script.py  10.00 ms ort fp32{words}"


def test_only_what_has_a_class_shows_one():
    assert not any("Class:" in line for line in shown(evaluation(0.004)))


# One table: what the grade counts, a comparison counts


def disturbed(number: int) -> Evaluation:
    """An evaluation under conditions that are drawn at random, with some flags."""
    random = Random(number)
    kinds = random.sample([kind.value for kind in FlagKind], random.randrange(6))
    facts = {
        "other_cores": random.choice([None, 0.1, 0.16, random.uniform(0, 2)]),
        "own_cores": random.choice([None, 0.05, random.uniform(0, 2)]),
        "stolen_share": random.choice([None, 0.005, random.uniform(0, 0.5)]),
        "throttled_seconds": random.choice([None, random.uniform(0, 1)]),
        "overheated": random.choice([None, 0.0, 3.0]),
    }
    return evaluation(0.004, *kinds, **facts)


@pytest.mark.parametrize("number", range(200))
def test_a_comparison_counts_every_disturbance_as_the_grade_does(number):
    found = disturbed(number)
    row = row_of_evaluation(Item("m_12345678", "m", "12345678", "12345678"), found)
    counted = {
        kind: margin
        for kind, margin in disturbances(found.performance, found.conditions).items()
        if kind.traits.in_compare
    }
    assert row.disturbance == pytest.approx(min(max(counted.values()), 1.0))


@pytest.mark.parametrize("kind", ["throttle", "foreign", "heat", "drift"])
def test_what_lowers_the_grade_widens_the_interval_of_a_comparison(kind):
    row = row_of_evaluation(Item("m_1", "m", "1", "1"), evaluation(0.004, kind))
    assert row.disturbance == disturbance_of(performance(0.004, kind), conditions()) > 0


def test_every_kind_of_flag_has_a_row():
    assert set(TRAITS) == set(FlagKind)
