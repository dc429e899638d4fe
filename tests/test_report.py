"""Reports: the columns, the files, the history, the details of a build and the data of the page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from turnkeyml.cache import BuildFolder, retire_evaluations, update_stats
from turnkeyml.cli import main
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.escaping import spelled
from turnkeyml.nouns import Cause, Flag, FlagKind
from turnkeyml.report import (
    Parquet,
    columns,
    command_of,
    detail_of,
    failed_stage,
    read_build,
    rows,
    save_reports,
    write_report,
)
from turnkeyml.report.html import page

from .test_compare import fail, folder_of, measure, stream

ROOT = Path(__file__).parent.parent
HTML = Path(page.__file__).parent
DATA = re.compile(r'<script type="text/plain" id="([\w-]+)">([A-Za-z0-9+/=]*)</script>')
HOSTILE = "<script>alert(1)</script>\u2028'\"\u202e\U0001f600</script><img src=x onerror=alert(2)>"
SHOWN = spelled(HOSTILE)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def turnkey(*words):
    """The exit status of the program."""
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    return ended.value.code


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS))


def page_of(cache, tmp_path, **settings):
    """The text of the page of a cache, its data and the details of its builds."""
    (saved,) = save_reports([cache], tmp_path / "pages", ["html"], **settings)
    text = saved.path.read_text(encoding="utf-8")
    found = {name: unpacked(content) for name, content in DATA.findall(text)}
    data = found.pop("data")
    return text, data, [detail for chunk in found.values() for detail in chunk]


def cells(data, name):
    """The cells of a column of a page."""
    (column,) = (column for column in data["columns"] if column["name"] == name)
    if "words" in column:
        return [column["words"][index] for index in column["indices"]]
    return column.get("numbers", [column.get("constant")] * data["count"])


# --- verdicts


def test_a_match_on_the_recorded_inputs_alone_is_marked(cache, tmp_path):
    measure(cache, cause=Cause.RECORDED_ONLY)
    measure(cache, digest="bbbbbbbb")
    (record, other) = rows(cache)
    assert (record["verdict"], other["verdict"]) == ("match", "match")
    assert record["verification_cause"] == "on the recorded inputs only"
    (text,) = save_reports([cache], tmp_path / "text", ["text"])
    assert text.path.read_text().count("match (recorded inputs only)") == 1
    page, data, _ = page_of(cache, tmp_path)
    assert sorted(cells(data, "verification_cause")) == [
        "on the recorded inputs only",
        "within tolerance",
    ]
    assert "(recorded inputs only)" in page  # where the page shows a verdict


def test_a_latency_that_is_not_credible_is_an_outcome_of_its_own(cache, tmp_path):
    measure(
        cache, flags=[Flag(FlagKind.SEEN, "It is too fast."), Flag(FlagKind.STATE, "It grows.")]
    )
    measure(cache, digest="bbbbbbbb", flags=[Flag(FlagKind.STATE, "It grows.")])
    _, data, details = page_of(cache, tmp_path)
    assert sorted(zip(cells(data, "flags"), cells(data, "outcome"), strict=True)) == [
        ("seen-inputs state", "not credible"),
        ("state", "verified"),
    ]
    assert details[0]["evaluations"][0]["flags"][0]["text"] == "It is too fast."


# --- columns


def test_every_column_is_in_the_reference():
    assert (ROOT / "docs" / "columns.md").read_text() == f"{columns.reference()}\n", (
        "write docs/columns.md with 'python -m turnkeyml.report.columns'"
    )


def test_no_column_is_declared_twice_and_people_read_the_first_twenty():
    names = [column.name for column in columns.COLUMNS]
    assert len(names) == len(set(names))
    assert [c.group for c in columns.COLUMNS].count("What people read") == 20
    assert names[:2] == ["build_name", "model_name"]


def test_every_report_has_the_same_columns_before_the_families(cache, tmp_path):
    fixed = [column.name for column in columns.COLUMNS]
    folder_of(cache, "net", "aaaaaaaa")
    (empty,) = write_report([cache], tmp_path / "1")
    measure(cache, parameters={"batch_size": "2"})
    update_stats(folder_of(cache, "net", "aaaaaaaa"), build={"extra_fact": 3})
    (full,) = write_report([cache], tmp_path / "2")
    first, second = (path.read_text().splitlines()[0].split(",") for path in (empty, full))
    assert first == fixed
    assert second[: len(fixed)] == fixed
    assert second[len(fixed)] == "parameters_batch_size"
    assert "build_extra_fact" in second


def test_what_a_row_has_is_declared_or_belongs_to_a_family(cache):
    measure(cache)
    build = folder_of(cache, "net", "aaaaaaaa")
    stage = {"name": "optimize", "seconds": 1.0, "peak_memory_bytes": 5, "succeeded": True}
    update_stats(build, build={"status": "successful_build", "stages": [stage]}, file="a.py")
    (row,) = rows(cache)
    unknown = {name for name in row if columns.column_of(name).name == "NAME"}
    assert unknown == set()
    assert columns.column_of("build_optimize_seconds").name == "build_STAGE_seconds"


def test_no_value_of_the_build_is_in_a_row_twice(cache):
    measure(cache, verdict="close")
    verification = {"verdict": "match", "cause": "within tolerance", "reason": "all"}
    build = {"status": "successful_build", "sha256": {"onnx": "abc"}, "verification": verification}
    update_stats(folder_of(cache, "net", "aaaaaaaa"), build=build)
    (row,) = rows(cache)
    assert row["verdict"] == "close"
    twice = ("build_status", "build_failure", "build_sha256_onnx", "build_verification_verdict")
    assert not {*twice, "status_stats"} & set(row)


def test_a_build_that_was_not_measured_has_its_own_verdict_and_reason(cache):
    verification = {"verdict": "match", "cause": "within tolerance", "reason": "all"}
    built = {"status": "successful_build", "verification": verification}
    update_stats(folder_of(cache, "net", "aaaaaaaa"), build=built)
    lost = {"status": "failed_build", "failure": "no export"}
    update_stats(folder_of(cache, "net", "bbbbbbbb"), build=lost)
    one, other = rows(cache)
    assert (one["status"], one["verdict"], one["reason"]) == ("successful_build", "match", None)
    assert (other["status"], other["reason"]) == ("failed_build", "no export")


# --- files


def test_the_suffix_of_a_file_names_its_format(cache, tmp_path, capsys):
    measure(cache)
    files = [tmp_path / "a.csv", tmp_path / "b.jsonl", tmp_path / "c.html"]
    assert turnkey("cache", "report", "-d", cache, "-o", *files) == 0
    assert files[0].read_text().startswith("build_name,")
    assert json.loads(files[1].read_text())["build_name"] == "net_aaaaaaaa"
    assert files[2].read_text().startswith("<!doctype html>")
    assert f"Summary spreadsheet saved at {files[0]}\n" in capsys.readouterr().out


def test_a_format_may_go_to_a_file_of_any_name(cache, tmp_path):
    measure(cache)
    save_reports([cache], tmp_path, ["markdown"], [tmp_path / "report"])
    assert "net_aaaaaaaa" in (tmp_path / "report").read_text()


def test_files_and_formats_must_be_as_many(cache, tmp_path):
    measure(cache)
    with pytest.raises(UsageError, match="2 formats and 1 output files; name one file per format"):
        save_reports([cache], tmp_path, ["csv", "html"], [tmp_path / "a.csv"])
    with pytest.raises(UsageError, match=r"suffix of .*a.doc names no format; choose from \.csv, "):
        save_reports([cache], tmp_path, [], [tmp_path / "a.doc"])
    assert list(tmp_path.glob("a.*")) == []


def test_a_report_of_the_same_day_is_not_replaced_without_a_word(cache, tmp_path, capsys):
    measure(cache)
    assert turnkey("cache", "report", "-d", cache, "-r", tmp_path / "r") == 0
    assert "replaces" not in capsys.readouterr().out
    assert turnkey("cache", "report", "-d", cache, "-r", tmp_path / "r", "--json") == 0
    told = capsys.readouterr()
    assert len(list((tmp_path / "r").iterdir())) == 1
    (saved,) = save_reports([cache], tmp_path / "r")
    assert saved.replaced is not None
    assert turnkey("cache", "report", "-d", cache, "-r", tmp_path / "r") == 0
    assert "(it replaces the one of " in capsys.readouterr().out + told.err


def test_parquet_without_its_library_is_one_sentence_and_nothing_is_written(
    cache, tmp_path, monkeypatch
):
    measure(cache)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(TurnkeyError, match=r"need pyarrow; install it with 'pip install turnkey"):
        save_reports([cache], tmp_path / "r", ["csv", "parquet"])
    assert not (tmp_path / "r").exists()


def test_parquet_has_typed_columns(cache, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    measure(cache, script="net\udc80")
    fail(cache, "it broke", digest="bbbbbbbb")
    (saved,) = save_reports([cache], tmp_path, ["parquet"])
    table = parquet.read_table(saved.path)
    kinds = {field.name: str(field.type) for field in table.schema}
    assert (kinds["median_latency"], kinds["samples"]) == ("double", "int64")
    assert (kinds["build_name"], kinds["processes"]) == ("string", "int64")
    assert table.num_rows == 2
    assert Parquet.suffix == ".parquet"


def test_a_comparison_goes_to_a_page(cache, tmp_path, capsys):
    other = tmp_path / "other"
    measure(cache, stream(seed=1))
    measure(other, stream(1.2, seed=2))
    measure(other, digest="bbbbbbbb")
    target = tmp_path / "c.html"
    assert turnkey("compare", cache, other, "-o", target) == 0
    assert f"Comparison saved at {target}\n" in capsys.readouterr().out
    (content,) = (text for name, text in DATA.findall(target.read_text()) if name == "data")
    data = unpacked(content)
    assert (data["kind"], data["count"]) == ("comparison", 2)
    assert cells(data, "change") == ["matched", "appeared"]
    assert cells(data, "verdict") == ["SLOWER", None]
    assert data["facts"]["geometric_mean"]["rows"] == 1
    assert "Appeared: only in B" in [section["title"] for section in data["sections"]]
    assert turnkey("compare", cache, other, "--format", "html") == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_a_binary_comparison_needs_a_file(cache, capsys):
    measure(cache)
    assert turnkey("compare", cache, cache, "--format", "parquet") == 2
    assert "name a file with --output" in capsys.readouterr().err


# --- history


def test_a_repeated_measurement_is_kept_and_the_last_one_is_shown(cache, tmp_path):
    for number, at in enumerate(("2026-01-01T10:00:00+0000", "2026-02-01T10:00:00+0000")):
        measure(cache, stream(1.0 + number, seed=number), measured_at=at)
    measure(cache, runtime="torch-eager", measured_at="2026-03-01T10:00:00+0000")
    last = list(rows(cache))
    assert [row["measured_at"][:7] for row in last] == ["2026-02", "2026-03"]
    series = [row["measured_at"][:7] for row in rows(cache, every=True)]
    assert series == ["2026-01", "2026-02", "2026-03"]
    (one,) = write_report([cache], tmp_path / "1")
    assert turnkey("cache", "report", "-d", cache, "--all", "-r", tmp_path / "2") == 0
    (all_of_them,) = (tmp_path / "2").iterdir()
    assert [len(path.read_text().splitlines()) for path in (one, all_of_them)] == [3, 4]


def test_a_rebuild_keeps_what_was_measured_before(cache):
    measure(cache)
    retire_evaluations(folder_of(cache, "net", "aaaaaaaa"))
    (row,) = rows(cache)
    assert row["status"] == "killed"  # nobody makes the new build
    assert [row["status"] for row in rows(cache, every=True)] == ["successful", "killed"]


def test_clean_keeps_the_history(cache):
    measure(cache)
    measure(cache, measured_at="2026-02-01T10:00:00+0000")
    folder_of(cache, "net", "aaaaaaaa").remove_artifacts()
    assert len(list(rows(cache, every=True))) == 2


@pytest.mark.parametrize("content", [b"{", b"[1]\n", b"null\n", b"\xff\xfe\n"])
def test_a_damaged_history_is_told_and_not_overwritten(cache, content):
    measure(cache)
    build = folder_of(cache, "net", "aaaaaaaa")
    build.history.write_bytes(content)
    found = list(rows(cache, every=True))
    assert [row["status"] for row in found] == ["successful", "unreadable"]
    assert "an earlier evaluation" in found[1]["reason"]
    assert [row["status"] for row in rows(cache)] == ["successful"]
    measure(cache, measured_at="2026-02-01T10:00:00+0000")
    assert build.history.read_bytes().startswith(content)


def test_an_evaluation_that_a_crash_left_in_both_places_counts_once(cache):
    measure(cache)
    build = folder_of(cache, "net", "aaaaaaaa")
    measure(cache, measured_at="2026-02-01T10:00:00+0000")
    kept = build.history.read_bytes()
    retire_evaluations(build)
    measure(cache, measured_at="2026-02-01T10:00:00+0000")
    assert len(build.history.read_bytes()) > len(kept)
    assert len(list(rows(cache, every=True))) == 2


# --- details


def test_the_details_of_a_build(cache):
    measure(cache, flags=[Flag(FlagKind.LOAD, "It was loud.")], measured_at="2026-01-01T10:00:00")
    measure(cache, stream(2.0), measured_at="2026-02-01T10:00:00+0000")
    build = folder_of(cache, "net", "aaaaaaaa")
    build.log("export").write_text("\x1b[31mred\x1b[0m\n" + "x" * 20_000 + "the end")
    detail = detail_of(read_build(build, with_history=True))
    (now,) = detail["evaluations"]
    assert now["samples"]["count"] == 1000
    assert now["samples"]["processes"] == [0]
    assert sum(now["samples"]["bins"]) + now["samples"]["beyond"] == 1000
    assert 1.9 < min(now["samples"]["low"]) <= max(now["samples"]["high"]) < 2.1
    assert [one["measured_at"] for one in detail["history"]] == ["2026-01-01T10:00:00"]
    (log,) = detail["logs"]
    assert log["text"].startswith("redxxx") or log["text"].startswith("red\nxxx")
    assert log["text"].endswith("the end")
    assert "characters are left out" in log["text"]
    assert len(log["text"]) < 7_000


def test_samples_of_a_later_measurement_are_not_shown_for_an_earlier_one(cache):
    measure(cache, stream(1.0), precision="fp16", folder="ort")
    measure(cache, stream(2.0), precision="fp32", folder="ort")
    evaluations = detail_of(read_build(folder_of(cache, "net", "aaaaaaaa")))["evaluations"]
    assert [one["samples"] is None for one in evaluations] == [True, False]


def test_no_link_leads_out_of_a_build(cache, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "log.txt").write_text("secret")
    (secret / "samples.npz").write_bytes(b"secret")
    measure(cache)
    build = folder_of(cache, "net", "aaaaaaaa")
    (build.path / "log_a.txt").symlink_to(secret / "log.txt")
    (build.path / "y_benchmark").mkdir()
    (build.path / "y_benchmark" / "ort").symlink_to(secret)
    assert detail_of(read_build(build))["logs"] == []


def test_the_command_that_repeats_a_measurement(cache):
    evaluation = measure(cache, parameters={"batch_size": "4"})
    model = {"file": "/a b/net.py", "hash": "aaaaaaaa", "build_onnx_opset": 18}
    expected = "turnkey '/a b/net.py::aaaaaaaa' --device x86 --runtime ort --precision fp32"
    words = shlex.split(command_of(model, evaluation))
    assert words[:8] == shlex.split(expected)
    assert words[8:12] == ["--onnx-opset", "18", "--sweep", "batch_size=4"]
    assert command_of({**model, "file": "net.onnx"}, evaluation).startswith("turnkey net.onnx --d")
    assert command_of({}, evaluation) == ""
    quick = replace(evaluation.conditions, rule={"name": "quick"})
    assert command_of(model, replace(evaluation, conditions=quick)).endswith(" --quick")


# --- the page


def test_a_page_has_every_cell_of_the_report(cache, tmp_path):
    measure(cache, parameters={"batch_size": "2"})
    update_stats(
        folder_of(cache, "net", "aaaaaaaa"),
        labels={"task": ["classify"], "author": ["us", "them"]},
        file="/models/timm/net.py",
    )
    fail(cache, "no such operator: 'Fft' at 17", digest="bbbbbbbb")
    _, data, details = page_of(cache, tmp_path)
    for name in {name for row in rows(cache) for name in row}:
        assert cells(data, name) == [row.get(name) for row in rows(cache)], name
    assert cells(data, "corpus") == ["timm", None]
    assert cells(data, "label author") == ["us, them", None]
    assert cells(data, "contestant") == ["ort fp32", "ort fp32"]
    assert cells(data, "outcome") == ["verified", "measurement failed"]
    assert cells(data, "cause") == [None, "no such operator: NAME at N"]
    assert [detail["build_name"] for detail in details] == ["net_aaaaaaaa", "net_bbbbbbbb"]
    assert data["builds"] == [[str(cache), detail["build_name"]] for detail in details]


def test_a_page_needs_nothing_from_elsewhere(cache, tmp_path):
    measure(cache)
    text, _, _ = page_of(cache, tmp_path)
    assert not re.search(r"<(script|link|img|iframe)[^>]*\s(src|href)=", text)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 3
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_hostile_text_is_inert_in_the_page(cache, tmp_path):
    measure(cache, parameters={HOSTILE: HOSTILE})
    build = folder_of(cache, "net", "aaaaaaaa")
    update_stats(build, model_name=HOSTILE, labels={HOSTILE: [HOSTILE]}, file=HOSTILE)
    build.log("a").write_text(HOSTILE)
    text, data, details = page_of(cache, tmp_path)
    outside = DATA.sub("", text)
    assert "alert(1)" not in text
    assert "\u202e" not in outside
    assert cells(data, "model_name") == [SHOWN]
    assert details[0]["logs"][0]["text"] == SHOWN
    assert details[0]["labels"] == {SHOWN: [SHOWN]}


def test_lone_surrogates_and_numbers_that_are_not_finite_do_not_break_a_page(cache, tmp_path):
    measure(cache)
    update_stats(
        folder_of(cache, "net", "aaaaaaaa"), model_name="a\\udc80", parameters=float("nan")
    )
    _, data, _ = page_of(cache, tmp_path)
    assert cells(data, "parameters") == [None]


def test_an_empty_cache_and_damaged_builds_have_a_page(cache, tmp_path):
    cache.mkdir()
    assert page_of(cache, tmp_path)[1]["count"] == 0
    BuildFolder(cache, "net_eeeeeeee").path.mkdir()
    BuildFolder(cache, "net_eeeeeeee").stats.write_text("[]")
    assert cells(page_of(cache, tmp_path)[1], "outcome") == ["unreadable"]


def test_inputs_that_failed_early_are_in_the_page(cache, tmp_path):
    measure(cache)
    journal = cache / ".runs"
    journal.mkdir()
    (journal / "a-1.json").write_text(
        json.dumps({"input": {"path": "/m/a.py"}, "script": {"error": "it\nbroke 3"}})
    )
    (journal / "b-1.json").write_text("[1]")
    (journal / "c-1.json").write_text(
        json.dumps({"input": {"path": "/m/c.py"}, "script": {"exit_code": 2}})
    )
    _, data, _ = page_of(cache, tmp_path)
    assert data["inputs"][0] == {
        **{"file": "/m/a.py", "script_seconds": None},
        **{"failure": "it broke 3", "kind": "it broke N"},
    }
    assert [one["failure"] for one in data["inputs"][1:]] == ["The script exited with code 2."]


@pytest.mark.parametrize(
    ("record", "stage"),
    [
        ({"status": "failed_build", "build_failed_stage": "fp16"}, "fp16"),
        ({"status": "failed_build", "reason": "opt (after export) failed: no"}, "opt"),
        ({"status": "failed_build", "reason": "export (the first stage) failed: x"}, "export"),
        ({"status": "failed_build", "reason": "The model cannot run"}, "before the first stage"),
        ({"status": "successful", "reason": None}, None),
    ],
)
def test_the_stage_at_which_a_build_failed(record, stage):
    assert failed_stage(record) == stage


def test_the_modules_of_the_page_share_one_scope():
    names = [
        name
        for path in sorted(HTML.glob("*.js"))
        for name in re.findall(
            r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)",
            path.read_text(),
            re.MULTILINE,
        )
    ]
    assert sorted(names) == sorted(set(names))
    bundled = page._ordered(page.ENTRY)
    assert sorted(bundled) == sorted(path.name for path in HTML.glob("*.js"))


def test_the_libraries_are_the_pinned_ones():
    folder = HTML / "vendor"
    for line in (folder / "files.sha256").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name
    assert (folder / "LICENSE-echarts.txt").stat().st_size > 10_000
    assert "MIT" in (folder / "LICENSE-tabulator.txt").read_text()
