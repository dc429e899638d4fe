"""Where builds are kept, and how little of them."""

from __future__ import annotations

import pytest

from .conftest import builds_in
from .promises import promise

BUILD = "hello_world_24adc42f"


@pytest.fixture(scope="module")
def caches(reader):
    """The older tutorial on the cache: a run into a folder, and the same run kept lean."""
    line = "benchit benchmark scripts/hello_world.py --cache-dir tmp_cache --iterations 5"
    full = reader.types(line)
    listed = {p.name for p in (reader.cli / "tmp_cache" / BUILD).iterdir()}
    lean = reader.types(f"{line} --lean-cache")
    return full, listed, lean


@promise("tools", "The default cache is ~/.cache/turnkey")
def test_the_default_cache(all_scripts, reader):
    assert BUILD in builds_in(reader.home / ".cache" / "turnkey")


@promise("tutorial", "--cache-dir makes a cache where the command was typed")
@promise("tools", "--cache-dir says where builds are stored")
def test_a_cache_of_ones_own(caches, reader):
    full, _, _ = caches
    assert full.status == 0, full.err
    assert builds_in(reader.cli / "tmp_cache") == [BUILD]


@promise("tools", "-d is short for --cache-dir")
def test_the_short_option(reader, tmp_path):
    line = f"turnkey scripts/hello_world.py --build-only -d '{tmp_path / 'ein Cäche'}'"
    assert reader.types(line).status == 0
    assert builds_in(tmp_path / "ein Cäche") == [BUILD]


@promise("tools", "TURNKEY_CACHE_DIR sets the cache for every later run")
def test_the_variable_sets_the_cache(reader, tmp_path):
    env = {"TURNKEY_CACHE_DIR": str(tmp_path / "elsewhere")}
    assert reader.types("turnkey scripts/hello_world.py --build-only", env=env).status == 0
    assert builds_in(tmp_path / "elsewhere") == [BUILD]
    assert BUILD in reader.types("turnkey cache list", env=env).out


@promise("tools", "--cache-dir wins over TURNKEY_CACHE_DIR")
def test_the_option_wins_over_the_variable(reader, filled_cache, tmp_path):
    env = {"TURNKEY_CACHE_DIR": str(tmp_path / "nothing_there")}
    assert BUILD in reader.types(f"turnkey cache list -d {filled_cache}", env=env).out


@promise("tutorial", "Without --lean-cache the ONNX files and what measuring left are kept")
def test_without_lean_cache_everything_is_kept(caches):
    _, listed, _ = caches
    assert {"onnx", "x86_benchmark", f"{BUILD}_state.yaml"} <= listed


@promise("tutorial", "--lean-cache removes the folders onnx and x86_benchmark")
@promise("tools", "--lean-cache deletes the artifacts of a build")
def test_lean_cache_removes_artifacts(caches, reader):
    _, _, lean = caches
    assert lean.status == 0, lean.err
    assert "Mean Latency:" in lean.out
    left = {p.name for p in (reader.cli / "tmp_cache" / BUILD).iterdir()}
    assert not left & {"onnx", "x86_benchmark"}
    assert not [name for name in left if name.startswith("inputs_original")]


@promise("tutorial", "--lean-cache keeps the state of a build and its logs")
@promise("tools", "--lean-cache keeps log files")
def test_lean_cache_keeps_logs_and_state(caches, reader, stats):
    folder = reader.cli / "tmp_cache" / BUILD
    logs = {p.name for p in folder.glob("log_*.txt")}
    stages = ("export_pytorch", "optimize_onnx", "set_success")
    assert {f"log_{stage}.txt" for stage in stages} <= logs
    assert (folder / f"{BUILD}_state.yaml").exists()
    assert stats(folder)["evaluations"][0]["performance"]["mean_latency"] > 0


@promise("ours", "After --lean-cache a later run builds what it needs")
def test_a_lean_build_is_made_again(caches, reader):
    ran = reader.types("turnkey scripts/hello_world.py --cache-dir tmp_cache --iterations 5")
    assert ran.status == 0, ran.err
    assert "Mean Latency:" in ran.out
    assert (reader.cli / "tmp_cache" / BUILD / "onnx").is_dir()
