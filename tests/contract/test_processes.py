"""Isolation, timeouts, Slurm, and arguments for the scripts."""

from __future__ import annotations

import re
import shutil
import sys
import time
from pathlib import Path

import pytest

from ..conftest import SMALL_MODEL
from .promises import promise

HANG = SMALL_MODEL + "model = SmallModel()\nmodel(torch.rand(4))\nimport time\ntime.sleep(600)\n"


@pytest.fixture(scope="module")
def folder(reader):
    path = reader.root / "processes"
    path.mkdir()
    (path / "dies.py").write_text("import os\nos.abort()\n")
    (path / "hangs.py").write_text(HANG)
    (path / "works.py").write_text(SMALL_MODEL + "model = SmallModel()\nmodel(torch.rand(4))\n")
    (path / "told.py").write_text("import sys\nprint('told', sys.argv[1:])\n")
    return path


@pytest.fixture(scope="module")
def isolated(reader, folder):
    """Inputs that die, hang and work, in this order; the variable sets the timeout."""
    line = "turnkey dies.py hangs.py works.py --process-isolation --build-only -d cache"
    return reader.types(line, folder=folder, env={"TURNKEY_TIMEOUT_SECONDS": "8"})


@promise("tools", "With --process-isolation an input that dies does not stop the others")
def test_an_input_that_dies_does_not_stop_the_others(isolated):
    assert isolated.status == 1
    assert "SIGABRT" in isolated.out.split("dies.py:")[1].split("hangs.py:")[0]
    assert "Model successfully built!" in isolated.out.split("works.py:")[1]


@promise("tools", "An input that exceeds the timeout is ended, and the next one is evaluated")
def test_an_input_that_hangs_is_ended(isolated):
    assert "timeout after 8 s" in isolated.out.split("hangs.py:")[1].split("works.py:")[0]
    assert "Model successfully built!" in isolated.out.split("works.py:")[1]


@promise("tools", "TURNKEY_TIMEOUT_SECONDS changes the default timeout")
def test_the_variable_changes_the_timeout(isolated):
    assert "timeout after 8 s" in isolated.out


@promise("tools", "--timeout sets the timeout of isolated inputs")
@promise("tools", "An option on the command line wins over its environment variable")
def test_the_option_wins_over_the_variable(reader, folder):
    begin = time.monotonic()
    line = "turnkey hangs.py --process-isolation --timeout 2 --analyze-only"
    ran = reader.types(line, folder=folder, env={"TURNKEY_TIMEOUT_SECONDS": "500"})
    assert ran.status == 1
    assert "timeout after 2 s" in ran.out
    assert time.monotonic() - begin < 60


@promise("tools", "The timeout is an hour unless said otherwise: turnkeyml.cli.spawn has it")
def test_the_default_timeout(reader):
    from turnkeyml.cli import DEFAULT_TIMEOUT_SECONDS

    assert DEFAULT_TIMEOUT_SECONDS == 3600
    assert "3600" in reader.types("turnkey benchmark --help").out


@promise("tools", "--process-isolation and --use-slurm exclude each other")
def test_isolation_and_slurm_exclude_each_other(reader):
    ran = reader.types("turnkey scripts/hello_world.py --process-isolation --use-slurm")
    assert (ran.status, ran.out) == (2, "")
    assert "slurm" in ran.err.lower()


@promise("tools", "--use-slurm is an option of benchmark and says what is missing for it")
def test_slurm_says_what_is_missing(reader, tmp_path):
    assert "--use-slurm" in reader.types("turnkey benchmark --help").out
    (tmp_path / "bash").symlink_to(shutil.which("bash"))
    without = {"PATH": f"{Path(sys.executable).parent}:{tmp_path}"}
    ran = reader.types("turnkey scripts/hello_world.py --use-slurm", env=without)
    assert ran.status in (1, 2)
    assert "slurm" in ran.err.lower()
    assert "Traceback" not in ran.err


@promise("tools", "--script-args passes arguments to the script, quoted as in a shell")
def test_script_arguments(reader, folder):
    line = """turnkey told.py --analyze-only --script-args="--batch_size=8 --name 'a b'" """
    ran = reader.types(line, folder=folder)
    assert ran.status == 0, ran.err
    assert "told ['--batch_size=8', '--name', 'a b']" in ran.out


@promise("tools", "--script-args may be separated by commas")
def test_script_arguments_with_commas(reader, folder):
    line = "turnkey told.py --analyze-only --script-args=--batch_size=8,--max_seq_len=128"
    ran = reader.types(line, folder=folder)
    assert "told ['--batch_size=8', '--max_seq_len=128']" in ran.out


@promise("ours", "The help of benchmark has every option with its default")
@pytest.mark.parametrize(
    ("option", "default"),
    [
        ("device", "x86"),
        ("runtime", "ort"),
        ("iterations", "100"),
        ("analyze-only", ""),
        ("build-only", ""),
        ("script-args", ""),
        ("max-depth", "0"),
        ("onnx-opset", "TURNKEY_ONNX_OPSET"),
        ("sequence", "optimize-fp32"),
        ("sequence-file", ""),
        ("precision", ""),
        ("rebuild", "if_needed"),
        ("labels", ""),
        ("lean-cache", ""),
        ("cache-dir", "TURNKEY_CACHE_DIR"),
        ("rt-args", ""),
        ("process-isolation", ""),
        ("timeout", "TURNKEY_TIMEOUT_SECONDS"),
        ("use-slurm", ""),
    ],
)
def test_every_option_is_in_the_help(reader, option, default):
    text = reader.types("turnkey benchmark --help").out
    about = re.split(rf"\n +(?:-d[^\n]*)?--{option}\b", text)[1]
    about = re.split(r"\n +-", about)[0]
    assert re.search(rf"default[^)]*{re.escape(default)}", " ".join(about.split())) or not default
