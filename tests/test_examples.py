"""Every example does what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent / "examples"
MODELS = Path(__file__).parent.parent / "models"


def run(path, folder, *words):
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, str(path), *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


@pytest.mark.parametrize(
    ("name", "builds", "words"),
    [
        ("hello_pytorch_world.py", ["hello_pytorch_world"], "is a successful_build"),
        ("build_name.py", ["model_a", "model_b"], "model_b: successfully built"),
        ("no_monitor.py", ["no_monitor"], ""),
        ("rebuild_always.py", ["rebuild_always"], "successfully built"),
        ("rebuild_if_needed.py", ["rebuild_if_needed"], "loaded from the cache"),
        ("rebuild_never.py", ["rebuild_never"], "loaded from the cache"),
        ("custom_sequence.py", ["custom_sequence"], "'count_nodes', 'set_success'] found 2 nodes"),
    ],
)
def test_building_from_python(tmp_path, name, builds, words):
    done = run(EXAMPLES / "build_api" / name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    made = sorted(p.name for p in (tmp_path / "cache").iterdir() if not p.name.startswith("."))
    assert made == builds
    if name == "no_monitor.py":
        assert (done.stdout, done.stderr) == ("", "")
    if name == "rebuild_never.py":
        assert "Warning" in done.stderr


def test_a_cache_of_its_own(tmp_path):
    assert run(EXAMPLES / "build_api" / "cache_dir.py", tmp_path).returncode == 0
    assert (tmp_path / "local_cache" / "cache_dir" / "cache_dir_state.yaml").exists()


def test_the_list_of_examples_is_complete():
    tested = {mark.args[1][i][0] for mark in test_building_from_python.pytestmark for i in range(7)}
    elsewhere = {"cache_dir.py", "hello_keras_world.py"}  # the second in test_keras.py
    assert {p.name for p in (EXAMPLES / "build_api").glob("*.py")} == tested | elsewhere


def test_the_sample_is_what_its_maker_makes(tmp_path):
    maker = EXAMPLES / "cli" / "onnx" / "make_sample.py"
    copy = tmp_path / maker.name
    copy.write_text(maker.read_text())
    assert run(copy, tmp_path).returncode == 0
    made = (tmp_path / "sample.onnx").read_bytes()
    assert made == (maker.parent / "sample.onnx").read_bytes()


@pytest.mark.parametrize("path", sorted(MODELS.glob("selftest/*.py")), ids=lambda p: p.stem)
def test_models_run_under_plain_python_with_their_parameters(tmp_path, path):
    assert run(path, tmp_path, "--batch_size", "3").returncode == 0
    wrong = run(path, tmp_path, "--no_such_thing", "3")
    assert wrong.returncode == 2
    assert "unrecognized arguments" in wrong.stderr
