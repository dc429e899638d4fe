"""The wheel installs into a fresh environment, and the first command of the README runs there."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.slow


def run(*command, **settings):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **settings
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The path of the wheel that pip makes of this repository."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", ROOT, "-w", folder)
    return next(folder.glob("turnkeyml-*.whl"))


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_a_package_index_shows_the_readme_without_dead_links(metadata):
    text = metadata.get_payload()
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "The winner is" in text
    assert "![" not in text
    assert re.findall(r"\]\((?!https://)[^)]*\)", text) == []
    assert "<!--" not in text


def test_people_find_it_by_keywords(metadata):
    assert {"benchmark", "onnx", "pytorch", "latency"} <= set(metadata["Keywords"].split(","))


def test_the_wheel_has_the_models_and_the_report(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "turnkeyml/models/selftest/linear.py" in names
    assert any(re.match(r"turnkeyml/report/html/.*\.js$", name) for name in names)
    assert not [name for name in names if name.startswith(("docs/", "tests/"))]


def test_the_first_command_runs_in_a_fresh_environment(wheel, tmp_path):
    command = re.search(r"^turnkey (your_script\.py)\s+#", (ROOT / "README.md").read_text(), re.M)
    shutil.copy(ROOT / "examples/cli/scripts/hello_world.py", tmp_path / command.group(1))
    run(sys.executable, "-m", "venv", tmp_path / "fresh")
    python = tmp_path / "fresh" / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "--quiet", "-c", constraints, wheel)
    home = {"HOME": str(tmp_path), "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    settings = {"cwd": tmp_path, "env": {**os.environ, **home, "TURNKEY_CACHE_DIR": "cache"}}
    shown = run("turnkey", command.group(1), **settings)
    assert "Successfully benchmarked" in shown
    assert run("turnkey", "models", "list", "selftest", **settings).count("selftest/") == 2
