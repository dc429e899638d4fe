"""The rooms: documented as they are enforced, and nothing named outside of its own file."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from turnkeyml.runtimes import all_devices, all_runtimes

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "turnkeyml"


def layers() -> list[list[str]]:
    """The rooms from top to bottom, as import-linter checks them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = [c for c in settings["contracts"] if c["type"] == "layers"]
    rows = [[m.strip() for m in re.split(r"[|:]", row)] for row in contract["layers"]]
    return [[module.removeprefix("turnkeyml.") for module in row] for row in rows]


def test_the_documented_rooms_are_the_enforced_ones():
    table = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \|", (ROOT / "docs/architecture.md").read_text(), re.M
    )
    assert [re.findall(r"`(\w+)`", row) for row in table] == layers()


def test_every_room_is_in_the_table():
    entries = [p for p in SOURCE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()]
    named = {p.stem for p in entries} - {"__init__", "__main__", "common", "filesystem", "run"}
    assert named == {module for row in layers() for module in row}


@pytest.mark.parametrize("runtime", all_runtimes(), ids=lambda r: f"{r.device}-{r.name}")
def test_no_other_file_names_a_runtime(runtime):
    same = [r for r in all_runtimes() if r.name == runtime.name]
    engines = {Path(inspect.getfile(type(r))).parent for r in same}  # devices may share one
    by_default = [d.name for d in all_devices() if d.default_runtime == runtime.name]
    named_in = [*engines, *(SOURCE / "runtimes" / name / "__init__.py" for name in by_default)]
    literal = re.compile(rf"""["'`]{re.escape(runtime.name)}["'`]""")
    others = [p for p in SOURCE.rglob("*.py") if not any(map(p.is_relative_to, named_in))]
    assert [p for p in others if literal.search(p.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("device", all_devices(), ids=lambda d: d.name)
def test_no_other_file_names_a_device(device):
    folder = SOURCE / "runtimes" / device.name
    literal = re.compile(rf"""["'`]{re.escape(device.name)}["'`]""")
    others = [p for p in SOURCE.rglob("*.py") if not p.is_relative_to(folder)]
    assert [p for p in others if literal.search(p.read_text(encoding="utf-8"))] == []
