"""Standard streams that are closed, full or left, disks that are full, and other locales."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from turnkeyml.display import console
from turnkeyml.system.this_process import captured

from .conftest import SMALL_MODEL
from .test_compare import measure

CALL = SMALL_MODEL + "\nmodel = SmallModel()\nmodel(torch.randn(2, 4))\n"
FAST = ("--iterations", "10")
COMMANDS = (
    ("version",),
    ("--help",),
    ("benchmark", "--help"),
    ("nosuch",),
    ("nosuch.py", "--json"),
    ("cache", "location"),
    ("cache", "list", "-d", "CACHE"),
    ("cache", "list", "--sort", "age", "-d", "CACHE", "--json"),
    ("cache", "stats", "net_aaaaaaaa", "-d", "CACHE"),
    ("cache", "print", "net_aaaaaaaa", "-d", "CACHE"),
    ("cache", "report", "-d", "CACHE", "-o", "report.csv", "--json"),
    ("cache", "clean", "net_aaaaaaaa", "-d", "CACHE", "--yes"),
    ("cache", "delete", "nosuch_*", "-d", "CACHE"),
    ("compare", "CACHE", "CACHE"),
    ("compare", "CACHE", "CACHE", "--format", "csv"),
    ("compare", "CACHE", "CACHE", "--json"),
    ("models", "list", "--quiet"),
    ("models", "location"),
    ("plugins",),
    ("completion", "bash"),
    ("system-info",),
    ("net.py", "--dry-run", "-d", "CACHE"),
)


def shell(redirection: str, *words: str, cwd: Path) -> subprocess.Popen[bytes]:
    """The program with its streams redirected as a shell does it; our stdout gets its stderr."""
    command = f'exec "$@" {redirection}'
    return subprocess.Popen(
        ["bash", "-c", command, "bash", sys.executable, "-m", "turnkeyml", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("streams")
    measure(made / "cache")
    (made / "net.py").write_text(CALL)
    return made


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_fails_because_of_its_streams(words, folder):
    words = [str(folder / "cache") if word == "CACHE" else word for word in words]
    usual = shell(">/dev/null", *words, cwd=folder)
    usual.communicate(timeout=250)
    redirections = ("2>&1 >&-", "2>&- <&-", ">&- 2>&- <&-", "2>/dev/full", "2>&1 >/dev/full")
    several = [] if "--yes" in words else redirections  # what needs the build's lock, in turn
    started = {redirection: shell(redirection, *words, cwd=folder) for redirection in several}
    for redirection in redirections:
        process = started.get(redirection) or shell(redirection, *words, cwd=folder)
        text = process.communicate(timeout=250)[0].decode()
        assert "Traceback" not in text, redirection
        assert "Exception ignored" not in text, redirection
        if redirection == "2>&1 >/dev/full" and usual.returncode == 0:
            assert process.returncode == 1
            assert text.endswith("standard output: No space left on device\n")
        else:
            assert process.returncode == usual.returncode, redirection


@pytest.mark.parametrize("words", [("models", "list"), ("cache", "list", "--json"), ("--help",)])
def test_a_reader_that_leaves_ends_a_command_quietly(words, folder):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        timeout=250,
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == "" or "--json" in words
    assert "Error" not in done.stderr


def test_a_run_without_streams_keeps_its_results(folder, tmp_path):
    """As cron may start it."""
    process = shell(">&- 2>&- <&-", "net.py", *FAST, "-d", str(tmp_path / "c"), cwd=folder)
    process.communicate(timeout=280)
    assert process.returncode == 0
    assert list((tmp_path / "c").glob("net_*/x86_benchmark/ort/evaluation.json"))


RAISING = """
import sys
class Stream:
    encoding = "utf-8"
    def write(self, text):
        raise RuntimeError("no writing")
    def flush(self):
        raise RuntimeError("no flushing")
sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Stream()
"""
NO_FILES = """
import resource
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
"""
NO_FILES_EVER = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""


def test_a_script_that_breaks_its_streams_or_limits_costs_nobody_any_time(turnkey, tmp_path):
    """They used to hang until the timeout."""
    bodies = {"raising": RAISING, "no_files": NO_FILES, "no_files_ever": NO_FILES_EVER}
    paths = []
    for name, body in bodies.items():
        paths.append(tmp_path / f"{name}.py")
        paths[-1].write_text(CALL + body)
    done = turnkey(*paths, *FAST, "--jobs", "2", "--timeout", "250")
    assert "timeout" not in done.stdout
    assert "measured raising.py" in done.stdout
    assert "measured no_files.py" in done.stdout
    if "measured no_files_ever.py" not in done.stdout:  # a privileged user may raise it again
        assert "no_files_ever.py  The process could not write " in done.stdout
        assert "the disk is full, or the size of files is limited" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def limited(size: int):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def run_limited(size: int, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "turnkeyml", *map(str, words)],
        preexec_fn=limited(size),
        capture_output=True,
        text=True,
        timeout=280,
    )


def test_files_that_may_not_be_written_are_named_and_the_outcomes_are_printed(folder, tmp_path):
    inputs = (tmp_path / "one.py", tmp_path / "other.py")
    for path in inputs:
        path.write_text(CALL + "SmallModel(100, 100)(torch.randn(2, 100))\n")
    done = run_limited(30_000, *inputs, *FAST, "--jobs", "2", "-d", tmp_path / "c")
    assert done.returncode == 1
    assert f"File too large: '{tmp_path / 'c'}/" in done.stdout
    assert "Outcomes:\n\noutcome  inputs\nfailed        2\n" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_cache_in_which_nothing_can_be_written_is_one_sentence(folder, tmp_path):
    done = run_limited(0, folder / "net.py", "-d", tmp_path / "c")
    assert done.returncode == 1
    assert done.stderr.startswith(f"turnkey: error: The cache directory {tmp_path / 'c'} cannot be")
    assert len(done.stderr.splitlines()) == 1


def test_a_report_on_a_full_disk_names_its_file(folder, tmp_path):
    for size, file in ((50_000, tmp_path / "x.html"), (10, tempfile.gettempdir())):
        words = ("cache", "report", "-d", folder / "cache", "-o", tmp_path / "x.html")
        done = run_limited(size, *words)
        assert done.returncode == 1
        assert done.stderr == f"turnkey: error: File too large: {file}\n"


@contextlib.contextmanager
def small_disk(folder: Path, size: str):
    """A disk of this size at a folder."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_told_with_its_file_after_the_outcomes(folder, tmp_path):
    disk = tmp_path / "disk"
    with small_disk(disk, "300k"):
        words = [folder / "net.py", "--jobs", "2", *FAST, "-d", disk / "c"]
        (tmp_path / "other.py").write_text(CALL)
        (tmp_path / "third.py").write_text(CALL)
        words[1:1] = [tmp_path / "other.py", tmp_path / "third.py"]
        done = subprocess.run(
            [sys.executable, "-m", "turnkeyml", *map(str, words)],
            capture_output=True,
            text=True,
            timeout=280,
        )
    assert done.returncode == 1
    assert "Outcomes:" in done.stdout
    assert "3 of 3 inputs are done." in done.stdout
    told = [line for line in (done.stdout + done.stderr).splitlines() if "No space left" in line]
    assert told
    assert all(str(disk) in line for line in told)
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("size", "stage", "file"),
    [("300k", "export_pytorch", "base.onnx"), ("1200k", "optimize_onnx", "opt.onnx")],
)
def test_a_disk_that_a_stage_fills_is_told_with_the_file(tmp_path, size, stage, file):
    """The exporters and ONNX Runtime have errors of their own for it."""
    script, disk = tmp_path / "wide.py", tmp_path / "disk"
    script.write_text("import torch\ntorch.nn.Linear(500, 500)(torch.ones(1, 500))\n")
    with small_disk(disk, size):
        done = subprocess.run(
            [sys.executable, "-m", "turnkeyml", script, *FAST, "-d", disk / "c"],
            capture_output=True,
            text=True,
            timeout=280,
        )
    assert done.returncode == 1
    told = re.findall(rf"{stage} .* failed: .*No space left on device: '(\S+)'", done.stdout)
    assert [path.endswith(file) and path.startswith(str(disk)) for path in told] == [True]
    assert "Traceback" not in done.stdout + done.stderr


def test_a_log_without_room_fails_nothing():
    with captured(Path("/dev/full")):
        print("a" * 100_000, flush=True)
        print("b", file=sys.stderr, flush=True)


def test_names_that_are_not_ascii_are_built_without_utf8_mode(tmp_path):
    folder = tmp_path / "mödel"
    folder.mkdir()
    (folder / "häl.py").write_text("# ünï\n" + CALL, encoding="utf-8")
    strict = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", folder / "häl.py", *FAST, "-d", folder / "cäche"],
        env={**os.environ, **strict},
        capture_output=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((folder / "cäche").glob("häl_*/onnx/*opt*.onnx"))


class Raising:
    def write(self, text: str) -> int:
        raise RuntimeError("no writing")

    def flush(self) -> None:
        raise RuntimeError("no flushing")


@pytest.mark.parametrize("stream", [None, Raising()], ids=["none", "raising"])
def test_a_program_whose_streams_are_unusual_goes_on(stream, monkeypatch):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, stream)
    console.print_lines("a")
    console.print_errors("a")
    console.write_document("a")
    console.overwrite("a")
    assert not console.in_terminal()
    assert console.terminal_width() is None
