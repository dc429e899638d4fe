"""Labels of scripts: what they say, what they select, where they are kept."""

from __future__ import annotations

import csv
import re

import pytest

from .promises import promise

MODEL = "import torch\ntorch.nn.Linear(2, 2)(torch.rand(2))\n"


@pytest.fixture(scope="module")
def labelled(reader):
    """Scripts with labels in each spelling, built."""
    folder = reader.root / "labelled"
    folder.mkdir()
    lines = {
        "plain": "#labels domain::nlp author::google task::question_answering,translation",
        "spaced": "# labels: author::google test_group::daily,monthly",
        "second": "# a comment\n# labels: author::google",
        "bad": "# labels: author::google nonsense",
    }
    for name, line in lines.items():
        (folder / f"{name}.py").write_text(f"{line}\n{MODEL}")
    ran = reader.types("turnkey *.py --build-only -d cache", folder=folder)
    assert ran.status == 0, ran.err
    return ran


def labels_of(reader, script: str) -> dict[str, list[str]]:
    from mlagility.common.labels import load_from_cache

    cache = reader.root / "labelled" / "cache"
    (build,) = [p.name for p in cache.glob(f"{script}_*")]
    return {key: list(values) for key, values in load_from_cache(str(cache), build).items()}


def selected(reader, words: str) -> list[str]:
    ran = reader.types(f"turnkey scripts/*.py --labels {words} --analyze-only")
    assert ran.status == 0, ran.err
    return re.findall(r"^(\S+)\.py:$", ran.out, re.MULTILINE)


@promise("discovery", "The example scripts have the labels test_group::a and test_group::b")
def test_the_labels_of_the_examples(reader):
    groups = {"hello_world": "a", "two_models": "b", "max_depth": "b"}
    for name, group in groups.items():
        first = (reader.cli / "scripts" / f"{name}.py").read_text().splitlines()[0]
        assert f"test_group::{group}" in first.split()


@promise("discovery", "--labels restricts a run to the scripts that have the label")
@promise("tools", "--labels key::value evaluates only scripts with that label")
def test_a_label_selects_scripts(reader, all_scripts):
    words = "--labels test_group::a --iterations 5"
    ran = reader.types(f"turnkey scripts/*.py {words}")
    assert ran.status == 0, ran.err
    assert re.findall(r"^(\S+)\.py:$", ran.out, re.MULTILINE) == ["hello_world"]
    assert ran.out.count("Successfully benchmarked on") == 1


@promise("tools", "Several labels select the scripts that have all of them")
def test_several_labels_must_all_hold(reader):
    assert selected(reader, "test_group::b name::max_depth") == ["max_depth"]


@promise("ours", "Several values of a label select the scripts that have any of them")
def test_several_values_of_a_label_are_alternatives(reader):
    assert selected(reader, "name::max_depth,two_models") == ["max_depth", "two_models"]


@promise("tools", "The first line of a script holds its labels after the pragma #labels")
def test_labels_follow_a_pragma_in_the_first_line(labelled, reader):
    assert labels_of(reader, "plain")["domain"] == ["nlp"]


@promise("tools", "Labels stand in the first line only")
@promise("models", "Labels that are not in the first line are none")
def test_labels_stand_in_the_first_line_only(labelled, reader):
    assert labels_of(reader, "second") == {}


@promise("tools", "A label may have several values, separated by commas")
def test_a_label_may_have_several_values(labelled, reader):
    assert labels_of(reader, "plain")["task"] == ["question_answering", "translation"]


@promise("models", "The first line holds labels as key::value1,value2 after '# labels: '")
@promise("models", "load_from_cache returns the labels of a build as a dictionary")
def test_labels_come_back_from_the_cache(labelled, reader):
    assert labels_of(reader, "spaced") == {
        "author": ["google"],
        "test_group": ["daily", "monthly"],
    }


@promise("tools", "The labels of a script are stored with its builds")
@promise("models", "Labels are saved in the cache")
def test_labels_are_stored_with_the_build(labelled, reader, stats):
    (folder,) = (reader.root / "labelled" / "cache").glob("spaced_*")
    assert stats(folder)["labels"] == {"author": ["google"], "test_group": ["daily", "monthly"]}


@promise("models", "Labels help to organise results: the report has them")
def test_labels_are_in_the_report(labelled, reader, tmp_path):
    ran = reader.types(
        f"turnkey cache report -d cache -r {tmp_path}", folder=reader.root / "labelled"
    )
    assert ran.status == 0, ran.err
    (report,) = tmp_path.glob("*.csv")
    (row,) = [r for r in csv.DictReader(report.open()) if r["build_name"].startswith("plain_")]
    assert any("labels" in column and "nlp" in value for column, value in row.items())


@promise("ours", "A malformed label is a warning that names the file")
def test_a_malformed_label_is_a_warning(labelled, reader):
    (line,) = [line for line in (labelled.err + labelled.out).splitlines() if "nonsense" in line]
    assert "bad.py" in line
    assert labels_of(reader, "bad") == {"author": ["google"]}


@promise("ours", "A malformed --labels is told in one sentence, with status 2")
def test_a_malformed_filter_is_wrong_usage(reader):
    ran = reader.types("turnkey scripts/hello_world.py --labels test_group:a")
    assert (ran.status, ran.out) == (2, "")
    assert "test_group:a" in ran.err
