"""Stats of the wrong shape: a row that says so, a sentence, and never an error."""

from __future__ import annotations

import math

import pytest
import yaml

from turnkeyml.nouns import to_dict
from turnkeyml.report import render, rows, write_report

from .test_compare import between, folder_of, measure
from .test_formats import BUILT_IN

DEEP: dict = {}
for _ in range(60):
    DEEP = {"a": DEEP}
HUGE = 16**2000
"""YAML can write it in base 16, Python cannot write it in base 10."""


def evaluation(**changes):
    """A change to the record of an evaluation; a dotted name goes into its parts."""

    def change(stats):
        for name, value in changes.items():
            *parts, last = name.split("__")
            section = stats["evaluations"][0]
            for part in parts:
                section = section[part]
            section[last] = value
        return stats

    return change


def stats(**changes):
    return lambda found: {**found, **changes}


WHOLE = {
    "a list": lambda found: [found],
    "a string": lambda found: "stats",
    "a number": lambda found: 3,
    "nothing": lambda found: None,
}
PARTS = {
    "evaluations a dict": stats(evaluations={"device_type": "x86"}),
    "evaluations a string": stats(evaluations="none"),
    "evaluations of strings": stats(evaluations=["one", 2, None]),
    "an evaluation without fields": stats(evaluations=[{}]),
    "an evaluation without performance": evaluation(performance=None),
    "performance a list": evaluation(performance=[1, 2]),
    "flags a string": evaluation(performance__flags="load"),
    "flags of strings": evaluation(performance__flags=["load", "drift"]),
    "flags of an unknown kind": evaluation(performance__flags=[{"kind": "mood", "text": ""}]),
    "a median that is text": evaluation(performance__median_latency="fast"),
    "a median that is not a number": evaluation(performance__median_latency=math.nan),
    "an infinite median": evaluation(performance__median_latency=math.inf),
    "a negative median": evaluation(performance__median_latency=-1.0),
    "a huge median": evaluation(performance__median_latency=HUGE),
    "a huge number of samples": evaluation(performance__samples=HUGE),
    "a huge setting": evaluation(conditions__settings={"threads": HUGE}),
    "a deep setting": evaluation(conditions__settings=DEEP),
    "an unknown verdict": evaluation(verification__verdict="splendid"),
    "an unknown grade": evaluation(grade="E"),
    "an unknown status": evaluation(status="splendid"),
    "parameters a list": evaluation(parameters=["batch_size"]),
    "conditions a string": evaluation(conditions="quiet"),
    "labels a list": stats(labels=["a", "b"]),
    "labels that are no lists": stats(labels={"author": "me"}),
    "labels of numbers": stats(labels={"author": [1, {"a": 2}]}),
    "a build that is a list": stats(build=["successful_build"]),
    "a build of an unknown status": stats(build={"status": "splendid"}),
    "stages without names": stats(build={"stages": [{"seconds": 1.0}]}),
    "stages that are words": stats(build={"stages": ["export", "optimize"]}),
    "deep facts": stats(build={"facts": DEEP}),
    "deep lists": stats(input_shapes={"x": yaml.safe_load("[" * 60 + "]" * 60)}),
    "a huge fact": stats(parameters=HUGE),
    "a huge key": stats(facts={HUGE: 1}),
    "a huge name": lambda found: {**found, HUGE: 1},
    "a list for a name": lambda found: {**found, (1, 2): DEEP},
}


class Hexadecimal(yaml.SafeDumper):
    """Writes numbers that Python refuses to write in base 10."""


Hexadecimal.add_representer(
    int, lambda dumper, number: dumper.represent_scalar("tag:yaml.org,2002:int", hex(number))
)


@pytest.fixture
def cache(tmp_path):
    cache = tmp_path / "cache"
    for digest in ("aaaaaaaa", "bbbbbbbb", "cccccccc"):
        measure(cache, digest=digest)
    return cache


def damage(cache, change):
    path = folder_of(cache, "net", "bbbbbbbb").stats
    found = change(yaml.safe_load(path.read_text()))
    path.write_text(yaml.dump(found, Dumper=Hexadecimal))


@pytest.mark.parametrize("kind", [*WHOLE, *PARTS])
def test_a_damaged_build_is_one_row_and_one_sentence_and_costs_the_others_nothing(
    cache, tmp_path, kind
):
    before = {row["build_name"]: row for row in rows(cache)}
    damage(cache, {**WHOLE, **PARTS}[kind])
    after = list(rows(cache))
    (broken,) = [row for row in after if row["status"] == "unreadable"]
    assert broken["build_name"] == "net_bbbbbbbb"
    assert broken["reason"]
    for name in ("net_aaaaaaaa", "net_cccccccc"):
        assert [row for row in after if row["build_name"] == name] == [before[name]]

    reports = write_report([cache], tmp_path / "reports", BUILT_IN)
    assert all("unreadable" in path.read_text().lower() for path in reports)
    for other in (cache, *(p for p in reports if p.suffix in (".csv", ".json", ".jsonl"))):
        found = between(other, cache)
        assert {"net_aaaaaaaa", "net_cccccccc"} <= {row.item.build_name for row in found.rows}
        told = [remark for remark in found.remarks if "net_bbbbbbbb" in remark]
        assert [remark[:5] for remark in told] == ["In A:", "In B:"]
        for name in BUILT_IN:
            render(found, name)


def test_what_can_be_read_of_a_damaged_build_is_kept(cache):
    damage(cache, stats(labels="none"))
    of_build = [row for row in rows(cache) if row["build_name"] == "net_bbbbbbbb"]
    assert [row["status"] for row in of_build] == ["successful", "unreadable"]
    assert of_build[1]["reason"].startswith("the labels: ")
    found = between(cache, cache)
    assert len(found.rows) == 3
    assert "In A: The labels of build net_bbbbbbbb cannot be read." in found.remarks


def test_of_two_evaluations_the_one_that_can_be_read_is_kept(cache):
    sound = to_dict(measure(cache, digest="bbbbbbbb", runtime="torch-eager"))
    damage(cache, stats(evaluations=[{"device_type": 1}, sound, "x"]))
    of_build = [row for row in rows(cache) if row["build_name"] == "net_bbbbbbbb"]
    assert [row["status"] for row in of_build] == ["successful", "unreadable"]
    assert of_build[0]["runtime"] == "torch-eager"


def test_numbers_that_are_not_finite_are_no_damage_where_they_may_occur(cache, tmp_path):
    damage(cache, evaluation(verification__max_relative_error=math.nan))
    assert {row["status"] for row in rows(cache)} == {"successful"}
    assert len(between(cache, cache).rows) == 3


@pytest.mark.parametrize("name", ["../../elsewhere/samples.npz", "/dev/zero"])
def test_samples_outside_the_build_are_not_read(cache, name):
    damage(cache, evaluation(samples_file=name))
    (row,) = [r for r in between(cache, cache).rows if r.item.hash == "bbbbbbbb"]
    assert "no raw samples in A" in row.notes[0]


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00v\x00{'descr'", b"x" * 1000],
    ids=["empty", "cut archive", "cut array", "no archive"],
)
def test_damaged_samples_are_as_good_as_none(cache, content):
    for file in cache.rglob("samples.npz"):
        file.write_bytes(content)
    assert all("no raw samples" in row.notes[0] for row in between(cache, cache).rows)
