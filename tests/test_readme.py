"""The README shows commands that run and leads to every page, and so does the site."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
LISTED = README.split("## Use\n")[1].split("```")[1]
COMMANDS = [line.split("#")[0].strip() for line in LISTED.strip().splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_the_readme_and_the_site_lead_to_the_page(page):
    assert f"](docs/{page}" in README
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    assert page in {entry for section in site["nav"] for entry in next(iter(section.values()))}


def test_the_demo_races_the_network_of_the_picture():
    demo = (ROOT / "Makefile").read_text().split("\ndemo:")[1].split("\n\n")[0]
    steps = re.findall(r"\$\(BIN\)/turnkey (\S+)", demo)
    assert steps == ["examples/cli/scripts/hello_world.py", "race", "cache"]
    network = re.search(r"race (\S+)", demo).group(1)
    assert f"turnkey race {network}" in (ROOT / "docs" / "img" / "race.txt").read_text()


@pytest.mark.slow
def test_the_network_of_the_demo_runs_under_plain_python():
    network = ROOT / "examples" / "cli" / "networks" / "resnet18.py"
    subprocess.run([sys.executable, str(network)], check=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a command where the script and the caches are that the README speaks of."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copy(ROOT / "models" / "selftest" / "linear.py", folder / "your_script.py")
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(folder / "cache")}

    def run_command(command):
        words = shlex.split(command)[1:]
        if words[0] in ("race", "selftest", "your_script.py"):
            words.append("--quick")
        return subprocess.run(
            [sys.executable, "-m", "turnkeyml", *words],
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
        )

    for cache in ("monday", "friday"):
        run_command(f"turnkey your_script.py -d {cache}")
    return run_command


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_runs(run, command):
    done = run(command)
    assert done.returncode == 0, done.stdout + done.stderr
