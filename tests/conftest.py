"""What the tests share: the real program, small real scripts, a cache of their own."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).parent.parent / "examples" / "cli"

SMALL_MODEL = """
import torch
torch.manual_seed(0)

class SmallModel(torch.nn.Module):
    def __init__(self, inputs=4, outputs=3):
        super().__init__()
        self.fc = torch.nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.fc(x)
"""

# A shell starts what it puts into the background with interrupts ignored, and so would be all that
# the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Every process of every test checks in which order it takes locks, and notes mistakes here.
LOCK_LOG = Path(tempfile.mkdtemp(prefix="turnkey-tests-")) / "locks.txt"
os.environ["TURNKEY_LOCK_LOG"] = str(LOCK_LOG)
atexit.register(shutil.rmtree, LOCK_LOG.parent, ignore_errors=True)

Turnkey = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def locks_in_order() -> Iterator[None]:
    """Fails a test in which any process took a lock out of order, even if the error was caught."""
    yield
    mistakes = LOCK_LOG.read_text() if LOCK_LOG.exists() else ""
    LOCK_LOG.unlink(missing_ok=True)
    assert not mistakes


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def printed(*words: object, env: dict[str, str] | None = None) -> str:
    """What the program prints to standard output, where nothing may fail."""
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", *map(str, words)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def evaluations(cache: Path) -> list[dict]:
    """The evaluations of the one build in a cache."""
    (stats,) = cache.glob("*/turnkey_stats.yaml")
    return yaml.safe_load(stats.read_text())["evaluations"]


@pytest.fixture
def turnkey(cache: Path) -> Turnkey:
    """Runs the program as a person would; everything it prints comes back as text."""

    def run(*words: object, env: dict[str, str] | None = None, **settings: object):
        environment = {**os.environ, "TURNKEY_CACHE_DIR": str(cache), **(env or {})}
        return subprocess.run(
            [sys.executable, "-m", "turnkeyml", *map(str, words)],
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            timeout=280,
            **settings,
        )

    return run


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Path]:
    """Writes a script; ``SmallModel`` and torch are there unless told otherwise."""

    def write(body: str, name: str = "script.py", prelude: str = SMALL_MODEL) -> Path:
        path = tmp_path / name
        path.write_text(prelude + textwrap.dedent(body), encoding="utf-8")
        return path

    return write
