"""A disk that fails at any write, and the benchmark that attacks everything."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(1, str(Path(__file__).parent.parent / "benchmarks"))

from survival_cache import check_cache, make_library, results_in, write_models

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None, reason="preloads a library"
)

CAUSES = {"ENOSPC": "No space left on device", "EIO": "Input/output error"}
BENCHMARK = Path(__file__).parent.parent / "benchmarks" / "survival.py"


@pytest.fixture
def failing(tmp_path, cache, turnkey):
    """Runs turnkey on a disk whose writes fail from the n-th on; 0 for a disk that is well."""
    library = make_library(tmp_path)

    def run(*words, kind, first, last=10**9):
        (tmp_path / "state").write_bytes(bytes(16))
        faults = {
            "LD_PRELOAD": str(library),
            "FAULT_FOLDER": str(cache),
            "FAULT_STATE": str(tmp_path / "state"),
            "FAULT_LOG": str(tmp_path / "log"),
            "FAULT_KIND": kind,
            "FAULT_AT": str(first),
            "FAULT_LAST": str(last),
        }
        done = turnkey(*words, env=faults)
        calls = int.from_bytes((tmp_path / "state").read_bytes()[:8], sys.byteorder)
        return done, calls

    return run


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(CAUSES))
def test_a_failing_disk_is_a_sentence_and_measurements_are_kept(
    failing, turnkey, tmp_path, cache, kind
):
    (model,) = write_models(tmp_path / "models", onnx_files=1, scripts=0)
    words = (model, "--iterations", 3, "--rebuild", "always")
    done, calls = failing(*words, kind=kind, first=0)
    assert done.returncode == 0
    before = results_in(cache)
    assert before
    for share in (0.3, 0.8):
        done, _ = failing(*words, kind=kind, first=int(calls * share), last=int(calls * share) + 2)
        assert (tmp_path / "log").exists()
        assert done.returncode == 1
        assert CAUSES[kind] in done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        assert before <= results_in(cache)
        assert check_cache(cache) == []
    assert turnkey(*words).returncode == 0
    assert before < results_in(cache)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["--only", "kills", "--kills", "30", "--seed", "1"],
        ["--only", "faults", "--faults", "12", "--seed", "1"],
        ["--only", "concurrent", "--concurrent", "8", "--seed", "1"],
        ["--only", "clock", "--clocks", "4", "--seed", "1"],
        ["--only", "many", "--models", "20", "--inputs", "50"],
        ["--only", "fuzz", "--files", "30000", "--seed", "1"],
    ],
    ids=lambda words: words[1],
)
def test_the_benchmark_finds_nothing_lost_and_nothing_that_hangs(words):
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *words], capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "together" in done.stdout
