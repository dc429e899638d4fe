"""Every file that we read may hold anything: it is read, or a sentence says why not."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from turnkeyml.discover import find_inputs
from turnkeyml.errors import UsageError

from .fuzzing import CORPUS, TARGETS, Target, fuzz, mutation, read_once, warm_up

BAD = {
    "raises": lambda path: 1 // 0,
    "dies": lambda path: os.kill(os.getpid(), signal.SIGKILL),
    "eats": lambda path: bytes(1 << 40),
}
"""Readers with a defect."""


@pytest.fixture(scope="module", autouse=True)
def _warm():
    warm_up()


def test_every_kind_of_file_has_a_corpus_that_is_read(tmp_path):
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)
    for name in TARGETS:
        for path in sorted((CORPUS / name).iterdir()):
            read_once(name, path.read_bytes(), tmp_path)


def test_the_same_numbers_give_the_same_file():
    assert mutation("stats", 1, 2) == mutation("stats", 1, 2)
    assert mutation("stats", 1, 2) != mutation("stats", 1, 3)


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_mutated_file_is_read_or_refused_in_a_sentence(name, tmp_path):
    count = 20 * TARGETS[name].weight
    assert [finding.what for finding in fuzz(name, 0, count, tmp_path)] == []


@pytest.mark.parametrize(
    ("name", "what"),
    [("raises", "ZeroDivisionError"), ("dies", "SIGKILL"), ("eats", "MemoryError")],
)
def test_a_reader_that_raises_dies_or_eats_memory_is_found(name, what, tmp_path, monkeypatch):
    monkeypatch.setitem(TARGETS, "labels", Target("labels", "file", BAD[name]))
    found = list(fuzz("labels", 0, 3, tmp_path))
    assert len(found) == 3
    assert what in found[0].what


def test_very_many_findings_do_not_stop_the_process_that_tells_them(tmp_path, monkeypatch):
    monkeypatch.setitem(TARGETS, "labels", Target("labels", "file", BAD["raises"]))
    assert len(list(fuzz("labels", 0, 5_000, tmp_path))) == 5_000


def test_lists_that_name_each_other_many_times_are_read_once(tmp_path):
    (tmp_path / "a.py").write_text("")
    for number in range(15):
        (tmp_path / f"{number}.txt").write_text(f"a.py\n{number + 1}.txt\n{number + 1}.txt\n" * 50)
    (tmp_path / "15.txt").write_text("a.py\n")
    assert [Path(item.path).name for item in find_inputs([str(tmp_path / "0.txt")])] == ["a.py"]


def test_lists_that_include_each_other_without_end_are_refused(tmp_path):
    for number in range(500):
        (tmp_path / f"{number}.txt").write_text(f"{number + 1}.txt\n")
    with pytest.raises(UsageError, match=r"20\.txt' is the last of 21 that include each other"):
        find_inputs([str(tmp_path / "0.txt")])
    (tmp_path / "loop.txt").write_text("loop.txt\n")
    with pytest.raises(UsageError, match="includes itself"):
        find_inputs([str(tmp_path / "loop.txt")])
