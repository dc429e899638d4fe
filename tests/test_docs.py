"""Every command in the documents runs, and the output they show is what it prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "models" / "readme.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"^ {4}((?:turnkey|benchit) \S.*)$", re.MULTILINE)

LIGHT = (
    *("cache", "compare", "completion", "explain", "models"),
    *("plugins", "report", "system-info", "version"),
)
"""Commands that measure nothing, or choose themselves how long."""

COMMANDS = sorted(
    {
        command
        for page in PAGES
        for command in COMMAND.findall(page.read_text())
        if "your_" not in command and "FILE" not in command
    }
)


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """Runs a command in a checkout whose cache has the builds that the pages speak of."""
    folder = tmp_path_factory.mktemp("docs")
    for name in ("examples", "models"):
        (folder / name).symlink_to(ROOT / name)
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}

    def run(command):
        words = shlex.split(command)
        module = {"turnkey": "turnkeyml", "benchit": "mlagility"}[words[0]]
        if len(words) > 1 and words[1] not in LIGHT:
            chosen = {"--iterations", "--quick", "--rigorous"} & set(words)
            few = ["--budget", "1s"] if words[1] == "tune" else ["--iterations", "3"]
            words += [] if chosen else few
        return subprocess.run(
            [sys.executable, "-m", module, *words[1:]],
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
        )

    run("turnkey examples/cli/scripts/hello_world.py examples/cli/scripts/max_depth.py")
    return run


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_runs(runner, command):
    done = runner(command)
    assert done.returncode == 0, done.stdout + done.stderr


def normal(text):
    """Text without what differs from run to run."""
    text = re.sub(r"\d+\.\d+ *(milliseconds|inferences)", r"N \1", text)
    text = re.sub(r"Median: .*", "Median:", text)
    text = re.sub(r"Caution: .*", "", text)
    text = re.sub(r"- \d+\.\d+s", "- Ns", text)
    text = re.sub(r"benchmarked on .* \(ort v[\d.]+\)", "benchmarked on DEVICE (ort)", text)
    return re.sub(r"(Location:|Build dir:) +\S*?(examples|\.cache|cache)\S*", r"\1 PATH", text)


def test_the_output_on_the_first_page_is_what_is_printed(runner):
    page = (ROOT / "docs" / "getting_started.md").read_text()
    shown = page.split("```\n$ turnkey ")[1].split("```")[0]
    command, _, output = shown.partition("\n")
    runner("turnkey cache delete hello_world_24adc42f")
    printed = runner(f"turnkey {command}").stdout
    listed = [normal(text).split("Models discovered")[1].split() for text in (printed, output)]
    assert listed[0] == listed[1]


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            is_local = not target.startswith("https://")
            assert not is_local or (page.parent / target).exists(), f"{page.name}: {target}"
