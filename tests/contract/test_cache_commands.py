"""turnkey cache …"""

from __future__ import annotations

import csv
import datetime
import re

import pytest

from .conftest import builds_in
from .promises import promise

BUILD = "hello_world_24adc42f"


@pytest.fixture
def types(reader, filled_cache):
    """Types a cache command about a cache that may be changed."""
    return lambda line: reader.types(f"turnkey cache {line} --cache-dir {filled_cache}")


@promise("tools", "cache list names every build of a cache")
@promise("tutorial", "cache list names the cache and its builds")
def test_list(reader, made):
    ran = reader.types(f"turnkey cache list --cache-dir {made}")
    assert ran.status == 0
    header, *names = ran.out.splitlines()
    assert header.startswith("Info: Builds available in cache")
    assert " ".join(names).split() == builds_in(made)


@promise("tools", "cache commands look into ~/.cache/turnkey by default")
def test_the_default_cache_of_the_commands(all_scripts, reader):
    assert BUILD in reader.types("turnkey cache list").out
    assert BUILD in reader.types(f"turnkey cache stats {BUILD}").out


@promise("tutorial", "Every cache command takes --cache-dir")
@promise("tools", "cache list, stats, delete, clean and report take -d")
@pytest.mark.parametrize("command", ["list", "stats", "delete", "clean", "report"])
def test_every_command_takes_a_cache(reader, command):
    text = reader.types(f"turnkey cache {command} --help").out
    assert "--cache-dir" in text
    assert re.search(r"-d\b", text)


@promise("tools", "cache stats prints the state of a build")
@promise("tutorial", "cache stats prints the status and the sequence of a build")
def test_stats(types, filled_cache):
    ran = types(f"stats {BUILD}")
    assert ran.status == 0
    assert f"Info: The state of build {BUILD} in cache {filled_cache} is:" in ran.out
    state = (filled_cache / BUILD / f"{BUILD}_state.yaml").read_text()
    assert state.strip() in ran.out
    assert "build_status: successful_build" in ran.out


@promise("tools", "cache print prints the state of a build")
def test_print_is_stats(types):
    assert types(f"print {BUILD}") == types(f"stats {BUILD}")


@promise("tools", "cache delete deletes the build that is named")
@promise("tutorial", "A deleted build is no longer listed")
def test_delete(types, filled_cache):
    before = builds_in(filled_cache)
    ran = types("delete max_depth_7ebbe8c4")
    assert ran.status == 0, ran.err
    assert set(before) - set(builds_in(filled_cache)) == {"max_depth_7ebbe8c4"}
    assert "max_depth" not in types("list").out


@promise("tools", "cache delete --all deletes every build")
def test_delete_all(types, filled_cache):
    ran = types("delete --all")
    assert ran.status == 0, ran.err
    assert builds_in(filled_cache) == []


@promise("tools", "cache clean removes the artifacts of the build that is named")
def test_clean(types, filled_cache):
    ran = types(f"clean {BUILD}")
    assert ran.status == 0, ran.err
    assert not list((filled_cache / BUILD).rglob("*.onnx"))
    assert list((filled_cache / "max_depth_7ebbe8c4").rglob("*.onnx"))


@promise("tools", "cache clean --all removes the artifacts of every build")
def test_clean_all(types, filled_cache):
    before = builds_in(filled_cache)
    ran = types("clean --all")
    assert ran.status == 0, ran.err
    assert builds_in(filled_cache) == before
    assert not list(filled_cache.rglob("*.onnx"))


@promise("ours", "cache clean keeps logs, state and stats")
def test_clean_keeps_logs_state_and_stats(types, filled_cache):
    types(f"clean {BUILD}")
    left = {p.name for p in (filled_cache / BUILD).iterdir()}
    assert {f"{BUILD}_state.yaml", "turnkey_stats.yaml", "log_export_pytorch.txt"} <= left


@promise("tools", "cache report saves a CSV file about every build in the cache")
@promise("tools", "cache report -r says in which folder the report is saved")
@promise("ours", "A report is named YYYY-MM-DD.csv and has both hashes of each model")
def test_report(types, filled_cache, tmp_path):
    before = datetime.date.today()
    ran = types(f"report -r '{tmp_path / 'some reports'}'")
    assert ran.status == 0, ran.err
    (report,) = (tmp_path / "some reports").iterdir()
    assert report.name in {f"{before}.csv", f"{datetime.date.today()}.csv"}
    rows = list(csv.DictReader(report.open()))
    assert {row["build_name"] for row in rows} == set(builds_in(filled_cache))
    assert all(float(row["mean_latency"]) > 0 for row in rows)
    assert ("c69b7dea", "215ca1e3") in {(row["hash"], row["model_hash"]) for row in rows}


@promise("ours", "A report has a row an evaluation")
def test_a_row_an_evaluation(three_runtimes, reader, tmp_path):
    assert reader.types(f"turnkey cache report -d three -r {tmp_path}").status == 0
    (report,) = tmp_path.glob("*.csv")
    rows = [row for row in csv.DictReader(report.open()) if row["build_name"] == BUILD]
    assert [row["runtime"] for row in rows] == ["ort", "torch-eager", "torch-compiled"]


@promise("tools", "cache report saves into the working folder by default")
def test_report_into_the_working_folder(reader, filled_cache, tmp_path):
    (tmp_path / "here").mkdir()
    ran = reader.types(f"turnkey cache report -d {filled_cache}", folder=tmp_path / "here")
    assert ran.status == 0, ran.err
    assert len(list((tmp_path / "here").glob("*.csv"))) == 1


@promise("tools", "cache location prints the default cache")
def test_location(reader, tmp_path):
    ran = reader.types("turnkey cache location")
    assert ran.status == 0
    assert str(reader.home / ".cache" / "turnkey") in ran.out
    elsewhere = reader.types("turnkey cache location", env={"TURNKEY_CACHE_DIR": str(tmp_path)})
    assert str(tmp_path) in elsewhere.out


@promise("tools", "turnkeyml.filesystem.DEFAULT_CACHE_DIR is the default cache")
def test_the_location_for_programs(reader):
    code = "from turnkeyml.filesystem import DEFAULT_CACHE_DIR; print(DEFAULT_CACHE_DIR)"
    shown = reader.types(f"python -c '{code}'").out.strip()
    assert shown == str(reader.home / ".cache" / "turnkey")
