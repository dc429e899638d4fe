"""What cache commands promise beyond the guides: wildcards, safety, measuring again."""

from __future__ import annotations

import csv
import shutil

import pytest

from .conftest import builds_in
from .promises import promise

BUILD = "hello_world_24adc42f"


@pytest.fixture
def types(reader, filled_cache):
    """Types a cache command about a cache that may be changed."""
    return lambda line: reader.types(f"turnkey cache {line} -d {filled_cache}")


@promise("ours", "Cache commands take several names, and wildcards in them")
def test_several_names_and_wildcards(types, filled_cache):
    assert types(f"stats {BUILD} 'two_*'").out.count("Info: The state of build") == 3
    assert types(f"clean {BUILD} 'max_*'").status == 0
    assert len({p.parts[-3] for p in filled_cache.rglob("*.onnx")}) == 4
    assert types(f"delete 'multiple_*' 'two_models_?69b7dea' {BUILD}").status == 0
    assert builds_in(filled_cache) == ["max_depth_7ebbe8c4", "two_models_f93db89f"]


@promise("ours", "A name that no build has is an error with status 1")
@pytest.mark.parametrize("command", ["stats", "delete", "clean", "benchmark"])
def test_an_unknown_build(types, filled_cache, command):
    before = builds_in(filled_cache)
    ran = types(f"{command} nothing")
    assert ran.status == 1
    assert "nothing" in ran.err
    assert builds_in(filled_cache) == before


@promise("ours", "delete and clean refuse names that lead out of the cache, with status 2")
@pytest.mark.parametrize("command", ["delete", "clean"])
@pytest.mark.parametrize("name", ["..", "../outside", "/etc", ".", "''", f"{BUILD}/onnx"])
def test_names_that_lead_out_are_refused(types, filled_cache, command, name):
    outside = shutil.copytree(filled_cache / BUILD, filled_cache.parent / "outside")
    ran = types(f"{command} {name}")
    assert ran.status == 2, ran.out + ran.err
    assert len(builds_in(filled_cache)) == 6
    assert list(outside.rglob("*.onnx"))
    assert list(filled_cache.rglob("*.onnx"))


@promise("ours", "delete and clean follow no symlink and touch no folder that is not a build")
@pytest.mark.parametrize("command", ["delete", "clean"])
def test_what_is_not_ours_is_not_touched(types, filled_cache, command):
    outside = shutil.copytree(filled_cache / BUILD, filled_cache.parent / "outside")
    (filled_cache / "link").symlink_to(outside)
    (filled_cache / "photos").mkdir()
    (filled_cache / "photos" / "one.onnx").write_text("dear")
    for name in ("link", "photos"):
        assert types(f"{command} {name}").status in (1, 2)
    for name in ("'*'", "--all"):
        types(f"{command} {name}")
    assert list(outside.rglob("*.onnx"))
    assert (filled_cache / "photos" / "one.onnx").read_text() == "dear"


@promise("ours", "A folder with a file that is called like one of ours is not deleted")
def test_a_folder_that_only_looks_like_a_build_is_kept(types, filled_cache):
    (filled_cache / "elections").mkdir()
    (filled_cache / "elections" / "ohio_state.yaml").write_text("votes: 5")
    assert "elections" not in types("list").out
    assert types("delete --all").status == 0
    assert builds_in(filled_cache) == ["elections"]
    assert (filled_cache / "elections" / "ohio_state.yaml").read_text() == "votes: 5"


@promise("ours", "A damaged build is named in one sentence, and can be listed and deleted")
def test_a_damaged_build_is_named_and_can_be_deleted(types, filled_cache):
    (filled_cache / BUILD / f"{BUILD}_state.yaml").write_text("[" * 100_000)
    ran = types("list")
    assert ran.status == 0
    assert ran.err.splitlines() == [
        f"Warning: The state of build {BUILD} cannot be read: it is nested too deeply (line 1)."
    ]
    assert types(f"delete {BUILD}").status == 0
    assert BUILD not in builds_in(filled_cache)


@promise("ours", "--all asks in a terminal, unless --yes answers already")
def test_all_asks_in_a_terminal(reader, filled_cache):
    assert "--yes" in reader.types("turnkey cache delete --help").out
    line = f"turnkey cache delete --all -d {filled_cache}"
    asked = reader.types(f"echo no | script -qec '{line}' /dev/null")
    assert len(builds_in(filled_cache)) == 6, asked.out
    reader.types(f"script -qec '{line} --yes' /dev/null")
    assert builds_in(filled_cache) == []


@promise("ours", "delete and clean need a name or --all")
@pytest.mark.parametrize("command", ["delete", "clean"])
def test_a_name_or_all_is_needed(types, filled_cache, command):
    assert types(command).status == 2
    assert len(list(filled_cache.rglob("*.onnx"))) == 12


@promise("ours", "A broken build folder is a row of the report that says so")
def test_a_broken_build_is_a_row(types, filled_cache, tmp_path):
    (filled_cache / BUILD / "turnkey_stats.yaml").write_text("{ not: yaml: at all")
    assert types(f"report -r {tmp_path / 'reports'}").status == 0
    (report,) = (tmp_path / "reports").iterdir()
    rows = {row["build_name"]: row for row in csv.DictReader(report.open())}
    assert len(rows) == 6
    assert rows[BUILD]["mean_latency"] == ""
    assert rows[BUILD]["status"]


@promise("ours", "A report takes several caches")
def test_a_report_of_several_caches(types, reader, filled_cache, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(filled_cache / BUILD, other / "renamed")
    ran = types(f"report -r {tmp_path / 'reports'} -d {other}")
    assert ran.status == 0, ran.err
    (report,) = (tmp_path / "reports").iterdir()
    assert len(list(csv.DictReader(report.open()))) == 7


@promise("ours", "cache benchmark measures finished builds again, without script and torch")
def test_measuring_a_build_again(reader, filled_cache, stats, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('torch was imported')\n")
    before = stats(filled_cache / BUILD)["evaluations"]
    line = f"turnkey cache benchmark {BUILD} --runtime ort --skip none --quick -d {filled_cache}"
    ran = reader.types(line, env={"PYTHONPATH": str(tmp_path)}, folder=tmp_path)
    assert ran.status == 0, ran.out + ran.err
    after = stats(filled_cache / BUILD)["evaluations"]
    (old,) = [e for e in before if e["runtime"] == "ort"]
    (new,) = [e for e in after if e["runtime"] == "ort"]
    assert new["performance"]["mean_latency"] != old["performance"]["mean_latency"]


@promise("ours", "cache benchmark --skip leaves out what was measured before")
def test_what_was_measured_is_skipped(types, filled_cache):
    files = sorted(filled_cache.rglob("samples.npz"))
    assert files
    before = [f.read_bytes() for f in files]
    for policy in ("attempted", "successful"):
        assert types(f"benchmark --all --skip {policy} --runtime ort").status == 0
    assert [f.read_bytes() for f in files] == before
    assert types("benchmark --all --skip sometimes").status == 2
