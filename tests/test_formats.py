"""Formats: one file each, which the report of a cache and a comparison share."""

from __future__ import annotations

import csv
import io
import json
import math
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from turnkeyml.cache import BuildFolder, add_evaluation, update_stats
from turnkeyml.errors import UsageError
from turnkeyml.escaping import LONGEST_CELL
from turnkeyml.nouns import Flag, FlagKind, Grade
from turnkeyml.report import (
    Report,
    Section,
    Table,
    cache_report,
    formats,
    render,
    rows,
    write_report,
)

from .test_compare import between, fail, folder_of, measure, run, stream

BUILT_IN = ("csv", "json", "jsonl", "markdown", "text")
READ_BACK = ("csv", "json", "jsonl")


def written(name: str, report: Report) -> str:
    file = io.BytesIO()
    formats.find_format(name).write(report, file)
    return file.getvalue().decode("utf-8")


def records_in(path: Path) -> list[dict]:
    """What a program reads."""
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


OUTSIDE = """
from turnkeyml.report.contract import TextFormat


class Shout(TextFormat):
    suffix = ".shout"

    def write_text(self, report, file):
        for record in report.records:
            file.write(record["build_name"].upper() + "!\\n")
"""


def test_a_format_is_one_file_that_both_commands_find(cache, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "shout.py").write_text(OUTSIDE)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(folder)])
    measure(cache)
    assert "shout" in formats.names()
    (path,) = write_report([cache], tmp_path, ["shout"])
    assert (path.suffix, path.read_text()) == (".shout", "NET_AAAAAAAA!\n")
    assert run(cache, cache, "--format", "shout") == 0
    assert capsys.readouterr().out == "NET_AAAAAAAA!\n"


def test_every_format_has_a_suffix_of_its_own():
    assert set(BUILT_IN) <= set(formats.names())
    assert len({form.suffix for form in formats.formats()}) == len(formats.names())


def test_an_unknown_format_is_a_usage_error_that_lists_the_known_ones(cache, tmp_path):
    measure(cache)
    with pytest.raises(UsageError, match="Unknown format 'pdf'; choose from: csv, html, json, "):
        write_report([cache], tmp_path / "reports", ["csv", "pdf"])
    assert not (tmp_path / "reports").exists()


def test_a_report_is_written_in_every_format_that_was_asked_for(cache, tmp_path):
    measure(cache)
    paths = write_report([cache], tmp_path / "reports", ["markdown", "csv", "markdown"])
    assert [path.suffix for path in paths] == [".md", ".csv"]
    assert sorted((tmp_path / "reports").iterdir()) == sorted(paths)


FORMULAS = [
    '=HYPERLINK("http://example.com", "click")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1",
    "'=already quoted",
    "-",
]
HARMLESS = ["", "plain", "'quoted'", "a=b", "-1.5", "+2", "-1e-05", "12", "1-2"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_would_compute_is_written_as_text(text):
    line = written("csv", Report((text, "x"), [{text: text, "x": -1.5}]))
    for cells in list(csv.reader(io.StringIO(line, newline="")))[:2]:
        assert cells[0] == f"'{text}"
    report = formats.find_format("csv").read(line)
    assert report.columns == (text, "x")
    assert list(report.records) == [{text: text, "x": "-1.5"}]


@pytest.mark.parametrize("text", HARMLESS)
def test_other_cells_and_numbers_are_left_as_they_are(text):
    line = written("csv", Report(("x", "y"), [{"x": text, "y": -math.inf}]))
    assert list(csv.reader(io.StringIO(line)))[1] == [text, "-inf"]
    assert list(formats.find_format("csv").read(line).records) == [{"x": text, "y": "-inf"}]


@pytest.mark.parametrize("form", READ_BACK)
def test_names_labels_and_reasons_that_look_like_formulas_come_back_unchanged(
    cache, tmp_path, form
):
    build = folder_of(cache, "net", "aaaaaaaa")
    measure(cache, parameters={"=x": "@y"}, runtime="ort")
    update_stats(build, model_name="=1+1", labels={"@who": ["=me"]})
    fail(cache, "=cmd|'/C calc'!A0", digest="bbbbbbbb")
    (report,) = write_report([cache], tmp_path, [form])
    assert form != "csv" or ",=" not in report.read_text()
    found, expected = between(report, cache), between(cache, cache)
    assert [row.item for row in found.rows] == [row.item for row in expected.rows]
    assert found.rows[0].item.model_name == "=1+1"
    assert found.rows[0].item.parameters == {"=x": "@y"}
    assert found.failures == expected.failures
    assert found.failures[0].failure_a == "=cmd|'/C calc'!A0"


@pytest.mark.parametrize("form", READ_BACK)
def test_a_report_in_each_format_for_programs_tells_the_same_as_its_cache(cache, tmp_path, form):
    loud = [Flag(FlagKind.LOAD, "It was loud.")]
    measure(cache, stream(seed=1), flags=loud, grade=Grade.C)
    measure(cache, stream(seed=2), digest="bbbbbbbb", verdict="mismatch")
    fail(cache, "it broke", digest="cccccccc")
    (report,) = write_report([cache], tmp_path, [form])
    found = between(report, cache)
    assert len(found.rows) == 2
    for row in found.rows:
        assert (row.median_a, row.ratio, row.differences) == (row.median_b, 1.0, ())
        assert row.verification_a is row.verification_b
        assert row.grade_a is row.grade_b
        assert [flag.kind for flag in row.flags_a] == [flag.kind for flag in row.flags_b]
    assert found.failures[0].failure_a == found.failures[0].failure_b
    assert found.remarks == ()


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_every_object_has_every_column_and_null_where_nothing_is_known(cache, tmp_path, form):
    evaluation = measure(cache, grade=None)
    measure(cache, digest="bbbbbbbb", grade=Grade.A)
    fail(cache, "it broke", digest="cccccccc")
    wrong = replace(evaluation.verification, max_relative_error=math.inf)
    add_evaluation(folder_of(cache, "net", "dddddddd"), replace(evaluation, verification=wrong))
    (path,) = write_report([cache], tmp_path, [form])
    records = records_in(path)
    assert len({tuple(record) for record in records}) == 1
    assert [record["grade"] for record in records] == [None, "A", None, None]
    assert records[2]["median_latency"] is None
    assert records[3]["verification_max_relative_error"] is None


def test_the_columns_are_in_one_order_whatever_was_seen_first(cache, tmp_path):
    measure(cache, digest="aaaaaaaa", runtime="torch-eager", parameters={"z": "1"})
    (one,) = write_report([cache], tmp_path / "1")
    other = tmp_path / "other"
    measure(other, digest="00000000", parameters={"b": "1"})
    (two,) = write_report([other, cache], tmp_path / "2")
    first, second = (list(records_in(path)[0]) for path in (one, two))
    assert first == [column for column in second if column in first]
    assert first[:20] == [
        *("build_name", "model_name", "model_class", "parameters", "device", "runtime"),
        *("runtime_version", "precision", "status", "reason", "median_latency", "median_low"),
        *("median_high", "mean_latency", "throughput", "verdict", "grade", "flags"),
        *("peak_memory_bytes", "measured_at"),
    ]
    assert second.index("parameters_z") == second.index("parameters_b") + 1


def test_a_failure_has_no_columns_of_its_own(cache):
    measure(cache)
    fail(cache, "it broke", digest="bbbbbbbb")
    measured, failed = rows(cache)
    assert set(failed) <= set(measured)


def test_the_verdict_of_an_evaluation_is_in_one_column(cache):
    measure(cache, verdict="close")
    (row,) = rows(cache)
    assert [name for name, cell in row.items() if cell == "close"] == ["verdict"]


def test_people_read_a_table_and_what_failed(cache, tmp_path):
    measure(cache, grade=Grade.B, parameters={"batch_size": "2"})
    fail(cache, "it\nbroke | badly <here>", digest="bbbbbbbb")
    build = folder_of(cache, "net", "cccccccc")
    update_stats(build, build={"status": "failed_build", "failure": "no export"})
    folder_of(cache, "net", "dddddddd")
    BuildFolder(cache, "net_eeeeeeee").path.mkdir()
    BuildFolder(cache, "net_eeeeeeee").stats.write_text("[]")
    text, page = (p.read_text() for p in write_report([cache], tmp_path, ["text", "markdown"]))
    header, row = text.splitlines()[2:4]
    assert header.startswith("build         runtime   parameters    median (ms)  mean (ms)  ")
    assert header.endswith("  throughput (IPS)  verdict  grade")
    assert row.split()[:4] == ["net_aaaaaaaa", "ort", "fp32", "batch_size=2"]
    assert row.split()[-2:] == ["match", "B"]
    assert "Failed:\n  net_bbbbbbbb (ort fp32): it broke | badly <here>\n" in text
    assert "\n  net_cccccccc: no export\n" in text
    assert "Not measured:\n  net_dddddddd: not measured\n" in text
    assert "Unreadable:\n  net_eeeeeeee: the stats: " in text
    assert text.endswith(
        "Status: 1 successful, 1 failed, 1 failed_build, 1 not measured, 1 unreadable.\n"
    )
    assert "| net_aaaaaaaa | ort fp32 | batch_size=2 | " in page
    assert "**Failed**\n\n- net_bbbbbbbb (ort fp32): it broke | badly \\<here>\n" in page


@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_in_a_name_breaks_a_line_or_reaches_the_terminal(name):
    hostile = "a\x1b[2Jb\nc\ud800|d"
    rows = [(hostile, "1")]
    sections = (Section(table=Table(("x", "y"), rows)), Section("T", sentences=[hostile]))
    text = written(name, Report(("x",), [{"x": hostile}], (("Cache", hostile),), sections))
    if name in ("text", "markdown"):
        assert "\x1b" not in text
        shown = "a\\x1b[2Jb c\\ud800" if name == "text" else "a\\\\x1b\\[2Jb c\\\\ud800"
        assert shown in text
        assert len(text.splitlines()) == len(written(name, _calm()).splitlines())


def _calm() -> Report:
    sections = (Section(table=Table(("x", "y"), [("a", "1")])), Section("T", sentences=["s"]))
    return Report(("x",), [{"x": "a"}], (("Cache", "a"),), sections)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_report_of_many_rows_is_never_whole_in_memory(name, tmp_path, monkeypatch):
    count, width = 3000, 2000

    def row(number, every):
        word = f"{number:04}" * (width // 4)
        yield {"build_name": f"b{number}", "status": "successful", "runtime": word}

    monkeypatch.setattr(cache_report, "build_folders", lambda cache: range(count))
    monkeypatch.setattr(cache_report, "read_build", lambda number, with_history: number)
    monkeypatch.setattr(cache_report, "rows_of", row)
    tracemalloc.start()
    try:
        (path,) = write_report([tmp_path], tmp_path, [name])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    shown = width if name not in ("text", "markdown") else LONGEST_CELL
    assert path.stat().st_size > count * shown
    assert peak < count * width / 5


def test_grades_are_shown_and_differences_between_them_told(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    for digest, grades in {"aaaaaaaa": "AC", "bbbbbbbb": "AC", "cccccccc": "BB"}.items():
        measure(a, digest=digest, grade=Grade(grades[0]))
        measure(b, digest=digest, grade=Grade(grades[1]))
    measure(a, digest="dddddddd", grade=Grade.D)
    measure(b, digest="dddddddd", grade=None)
    found = between(a, b)
    told = {row.item.hash: (row.grade_a, row.grade_b) for row in found.rows}
    assert told["aaaaaaaa"] == (Grade.A, Grade.C)
    assert told["dddddddd"] == (Grade.D, None)
    text = render(found, "text")
    assert "  grade of the conditions: A on side A, C on side B (2 rows)\n" in text
    assert text.count("grade of the conditions") == 1
    header, *lines = text.split("\n\n")[1].splitlines()
    assert header.split()[-1] == "grades"
    assert sorted(line.split()[-1] for line in lines) == ["A/C", "A/C", "B/B", "D/?"]
    table = list(csv.DictReader(io.StringIO(render(found, "csv"))))
    assert {(line["grade_a"], line["grade_b"]) for line in table} == {
        ("A", "C"),
        ("B", "B"),
        ("D", ""),
    }


def test_grades_that_nobody_gave_are_not_shown(tmp_path):
    for cache in (tmp_path / "a", tmp_path / "b"):
        measure(cache, grade=None)
    (header, *_) = render(between(tmp_path / "a", tmp_path / "b"), "text").split("\n\n")[1:]
    assert "grades" not in header


def test_verbose_tells_every_row_by_its_name(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    for number, digest in enumerate(("aaaaaaaa", "bbbbbbbb")):
        measure(a, digest=digest)
        flags = [Flag(FlagKind.LOAD, f"{number} cores were busy.")]
        measure(b, digest=digest, version="1.31", flags=flags)
    short, verbose = (render(between(a, b), "text", verbose=v) for v in (False, True))
    assert "runtime_version: 1.30 in A, 1.31 in B (2 rows)" in short
    assert "1 cores were busy." not in short
    for digest in ("aaaaaaaa", "bbbbbbbb"):
        assert f"1.31 in B (net_{digest} (ort fp32))" in verbose
    assert "1 cores were busy." in verbose
