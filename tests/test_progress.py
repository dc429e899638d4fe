"""How far a command is: what a terminal, a pipe and nobody at all are shown."""

from __future__ import annotations

import sys
from itertools import count

import pytest

from turnkeyml.cli import main
from turnkeyml.display import CountProgress
from turnkeyml.display import console as shown

from .fabricated import evaluation, fabricate


@pytest.fixture
def two(tmp_path):
    """Two caches of the same twenty builds."""
    for side, median in (("a", 1.0), ("b", 1.5)):
        for number in range(20):
            fabricate(tmp_path / side, f"net{number}_{number:08x}", evaluation(median=median))
    return str(tmp_path / "a"), str(tmp_path / "b")


def tell_all(seconds):
    """Tell of a hundred things, of which each takes so many seconds."""
    ticks = count(0, seconds)
    with CountProgress(clock=lambda: next(ticks)) as progress:
        for number in range(100):
            progress.tell("Comparing", number, 1000)


def test_a_pipe_gets_a_line_every_ten_seconds(capsys):
    tell_all(seconds=2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 100 * 2 // shown.PIPE_SECONDS
    assert lines[0] == "Comparing: 4 of 1,000"
    assert "\r" not in "".join(lines)


def test_what_is_done_soon_shows_nothing(capsys):
    tell_all(seconds=0.001)
    assert capsys.readouterr().err == ""


def test_a_terminal_has_one_line_which_is_gone_at_the_end(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tell_all(seconds=0.1)
    text = capsys.readouterr().err
    assert "\n" not in text
    assert "Comparing: 98 of 1,000" in text.split("\r\x1b[K")
    assert text.endswith("\r\x1b[K")


def test_without_a_monitor_a_terminal_shows_nothing(capsys, monkeypatch):
    monkeypatch.setenv("TURNKEY_BUILD_MONITOR", "False")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tell_all(seconds=0.1)
    assert capsys.readouterr().err == ""


def test_compare_tells_of_both_sides_and_of_their_rows(two, capsys, monkeypatch):
    monkeypatch.setattr(shown, "PIPE_SECONDS", 0.0)
    with pytest.raises(SystemExit, match="0"):
        main(["compare", *two])
    lines = capsys.readouterr().err.splitlines()
    assert "Reading builds of A: 19 of 20" in lines
    assert "Reading builds of B: 0 of 20" in lines
    assert "Comparing: 19 of 20" in lines


def test_a_report_tells_of_the_builds_that_it_reads(two, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(shown, "PIPE_SECONDS", 0.0)
    with pytest.raises(SystemExit, match="0"):
        main(["cache", "report", "-d", two[0], "-r", str(tmp_path)])
    told = capsys.readouterr()
    assert "Reading builds: 19 of 20" in told.err.splitlines()
    assert "Reading" not in told.out
