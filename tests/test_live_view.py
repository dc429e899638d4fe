"""The live view of many inputs: rate, time left, and failures as they come."""

from __future__ import annotations

import re
import sys
import textwrap

import pytest

from tests.terminal import read_terminal
from turnkeyml.display import pace_in_words

SHOW = """
import time
from turnkeyml.display.overview import BarWatcher
from turnkeyml.nouns import Input, InputResult

watcher = BarWatcher(12)
watcher._began -= 60
for number in range(10):
    item = Input(f"folder/script_{number}.py")
    watcher.input_started(item, number, 12)
    failure = f"ValueError: {'no such thing ' * 20}" if number in (3, 6) else None
    watcher.input_finished(InputResult(item, failure=failure))
watcher.close()
"""


@pytest.mark.parametrize(
    ("done", "seconds", "left", "words"),
    [
        (0, 5, 9, "time left unknown"),
        (10, 60, 5, "10 per minute, about 30 s left"),
        (1, 50, 1, "1.2 per minute, about 50 s left"),
        (3, 60, 3, "3.0 per minute, about 1 min left"),
        (200, 60, 1000, "200 per minute, about 5 min left"),
        (2, 600, 100, "0.2 per minute, about 8 h 20 min left"),
        (10, 60, 0, "10 per minute, about 0 s left"),
    ],
)
def test_the_pace_is_a_rate_and_the_time_that_is_left(done, seconds, left, words):
    assert pace_in_words(done, seconds, left) == words


@pytest.mark.parametrize("columns", [80, 200])
def test_failures_stay_above_the_view_in_one_line_each(columns):
    command = [sys.executable, "-c", textwrap.dedent(SHOW)]
    status, shown = read_terminal(command, columns=columns, TERM="xterm", NO_COLOR="1")
    assert status == 0, shown
    assert "9 of 12 done, 2 failed, 9.0 per minute, about 20 s left" in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n")]
    failures = [line for line in lines if line.startswith("[ 4/12] failed")]
    assert len(failures) == 1
    assert "script_3.py  ValueError: no such thing" in failures[0]
    assert failures[0].rstrip().endswith("…")
    assert "no such thing" not in lines[lines.index(failures[0]) + 1]
    assert all(len(line) <= columns for line in lines[: lines.index("Outcomes:")])
