"""A reader of the guides at a shell: a home, a copy of the examples, and runs to look at."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ..conftest import EXAMPLES

ROOT = EXAMPLES.parent.parent


@dataclass(frozen=True)
class Ran:
    """What a command left in the terminal."""

    status: int
    out: str
    err: str


class Reader:
    """Types commands as the guides print them, in ``examples/cli``, with a home of their own."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.home.mkdir()
        self.examples = root / "examples"
        self.cli = self.examples / "cli"
        self.models = root / "models"
        self.root = root
        others = shutil.ignore_patterns("keras.py")  # test_keras.py runs it: it takes long
        shutil.copytree(ROOT / "examples", self.examples, ignore=others)
        shutil.copytree(ROOT / "models" / "selftest", self.models / "selftest")

    @property
    def cache(self) -> Path:
        """The default cache."""
        return self.home / ".cache" / "turnkey"

    @property
    def environment(self) -> dict[str, str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("TURNKEY_")}
        inherited["TURNKEY_LOCK_LOG"] = os.environ["TURNKEY_LOCK_LOG"]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {**inherited, "HOME": str(self.home), "PATH": path}

    def types(
        self, line: str, *, folder: Path | None = None, env: dict[str, str] | None = None
    ) -> Ran:
        """Runs a line in a shell."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder or self.cli,
            env={**self.environment, **(env or {})},
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=280,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="session")
def all_scripts(reader: Reader) -> Ran:
    """Every example script, measured into the default cache with the default device and runtime."""
    ran = reader.types("turnkey scripts/*.py --quick")
    assert ran.status == 0, ran.out + ran.err
    shutil.copytree(reader.cache, reader.root / "as_it_was")
    return ran


@pytest.fixture(scope="session")
def benchit_run(reader: Reader) -> Ran:
    """The first example of the older guides, typed as ``benchit``, in ``cli/older``."""
    ran = reader.types("benchit scripts/hello_world.py --quick -d older")
    assert ran.status == 0, ran.out + ran.err
    return ran


@pytest.fixture(scope="session")
def made(reader: Reader, all_scripts: Ran) -> Path:
    """The cache as ``all_scripts`` left it. To look at, not to change."""
    return reader.root / "as_it_was"


@pytest.fixture
def filled_cache(made: Path, tmp_path: Path) -> Path:
    """A copy of that cache, to change at will."""
    return Path(shutil.copytree(made, tmp_path / "filled"))


@pytest.fixture(scope="session")
def three_runtimes(reader: Reader, made: Path) -> Ran:
    """A second run over a script, with every runtime of the CPU, in ``cli/three``."""
    shutil.copytree(made, reader.cli / "three")
    words = "--device x86 --runtime ort torch-eager torch-compiled --iterations 7 -d three"
    return reader.types(f"turnkey benchmark scripts/hello_world.py {words}")


@pytest.fixture(scope="session")
def stats() -> Callable[[Path], dict]:
    """The stats of a build folder."""

    def read(folder: Path) -> dict:
        return yaml.safe_load((folder / "turnkey_stats.yaml").read_text())

    return read


@pytest.fixture(scope="session")
def state() -> Callable[[Path], dict]:
    """The state of a build folder."""

    def read(folder: Path) -> dict:
        return yaml.safe_load((folder / f"{folder.name}_state.yaml").read_text())

    return read


def processor_of_this_machine() -> str:
    """What the kernel calls it; no code of ours is asked."""
    rows = Path("/proc/cpuinfo").read_text().splitlines()
    names = [row.partition(":")[2].strip() for row in rows if row.startswith("model name")]
    if not names:
        pytest.skip("this kernel does not name the processor")
    return names[0]


def builds_in(cache: Path) -> list[str]:
    """The names of the folders in a cache, as ``ls`` shows them."""
    return sorted(p.name for p in cache.iterdir() if not p.name.startswith("."))


def blocks(listing: str) -> dict[str, str]:
    """The part of a listing about each hash: from its ``Hash:`` line to the next one."""
    parts = listing.split("Hash:")[1:]
    return {part.split()[0]: part for part in parts}
