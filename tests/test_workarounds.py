"""Workarounds expire: each has an entry and a reproduction that fails once upstream is fixed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

from turnkeyml.workarounds import Workaround, all_workarounds, page

ROOT = Path(__file__).parent.parent
ALL = all_workarounds()
OPTIONAL = ("tf2onnx", "jax2onnx")
"""Packages that `make test` does without; `make test-keras` installs the first."""


@pytest.fixture(scope="module")
def outcomes():
    """What became of each reproduction, in a process that has none of our symbolics."""
    command = [sys.executable, "-m", "tests.reproductions"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    # torch prints graphs too, some of them when the process ends
    (found,) = [line for line in done.stdout.splitlines() if line.startswith('{"')]
    return json.loads(found)


def complaint(entry: Workaround, version: str, outcome: str) -> str | None:
    """What is wrong with an entry, given what its reproduction did with a version."""
    if outcome not in ("broken", "fixed"):
        return f"the reproduction of {entry.id} no longer fits: {outcome}"
    if entry.affects(version) and outcome == "fixed":
        return (
            f"upstream has fixed {entry.id} in {entry.package} {version}: remove the workaround "
            f"({entry.where}), or set its 'until' while older versions are supported"
        )
    if entry.is_fixed_in(version) and outcome == "broken":
        return f"{entry.id} is back in {entry.package} {version}: its 'until' is wrong"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
def test_upstream_still_needs_the_workaround(outcomes, entry):
    if outcomes[entry.id] == "not installed" and entry.package in OPTIONAL:
        pytest.skip(f"{entry.package} is not installed")
    found = complaint(entry, entry.installed, outcomes[entry.id])
    assert found is None, found


def test_every_workaround_has_a_reproduction_and_every_reproduction_a_workaround(outcomes):
    assert sorted(entry.id for entry in ALL) == sorted(outcomes)


def test_a_fixed_upstream_is_a_complaint_within_the_stated_versions():
    entry = replace(ALL[0], seen=("2.6.0", "2.14.1"))
    assert "upstream has fixed" in complaint(entry, "2.13.0+cpu", "fixed")
    assert "upstream has fixed" in complaint(entry, "3.0", "fixed")
    assert complaint(entry, "2.5.1", "fixed") is None
    assert complaint(entry, "2.13.0", "broken") is None
    assert "no longer fits" in complaint(entry, "2.13.0", "ValueError: another message")


def test_an_entry_that_says_when_it_was_fixed_is_held_to_it():
    entry = replace(ALL[0], seen=("2.6", "2.14.1"), until="2.15")
    assert complaint(entry, "2.15.0", "fixed") is None
    assert "is back" in complaint(entry, "2.15.0", "broken")
    assert "upstream has fixed" in complaint(entry, "2.14.1", "fixed")


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
def test_the_code_that_an_entry_names_is_there(entry):
    module, _, name = entry.where.partition(":")
    reduce(getattr, name.split("."), import_module(module))


def test_every_symbolic_has_an_entry_of_its_own():
    from turnkeyml.frameworks import SYMBOLICS

    with_operator = [e for e in ALL if e.target and "symbolics:" in e.where]
    assert set(SYMBOLICS) == set(with_operator)
    assert len({entry.target for entry in SYMBOLICS}) == len(SYMBOLICS)


def test_every_disabled_optimizer_has_an_entry(tmp_path, monkeypatch):
    import onnxruntime
    import torch

    from turnkeyml import build_model

    disabled = set()

    class Recording(onnxruntime.InferenceSession):
        def __init__(self, *words, disabled_optimizers=None, **settings):
            disabled.update(disabled_optimizers or [])
            super().__init__(*words, disabled_optimizers=disabled_optimizers, **settings)

    monkeypatch.setattr(onnxruntime, "InferenceSession", Recording)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 1), torch.nn.ConstantPad2d(1, 0.0), torch.nn.MaxPool2d(3, stride=2)
    )
    image = {"input": torch.rand(1, 3, 8, 8)}
    build_model(model.eval(), image, build_name="b", cache_dir=str(tmp_path), monitor=False)
    assert disabled == {e.target for e in ALL if e.target and "symbolics:" not in e.where}


def test_ids_are_unique():
    assert len({entry.id for entry in ALL}) == len(ALL)


def test_the_page_is_current():
    written = (ROOT / "docs" / "workarounds.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m turnkeyml.workarounds > docs/workarounds.md"
