"""Many inputs at once: whatever one of them does, the others have their rows."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from turnkeyml.report import kind_of
from turnkeyml.system import machine

from .conftest import SMALL_MODEL

pytestmark = pytest.mark.slow  # runs of many inputs, with processes that hang and die

GOOD = "model = SmallModel()\nmodel(torch.rand(2, {n}))\n"

HOSTILE = {
    "raises": "raise RuntimeError('on purpose')",
    "exits": "import sys; sys.exit(3)",
    "segfaults": "import ctypes; ctypes.string_at(0)",
    "kills_itself": "import os; os.kill(os.getpid(), 9)",
    "hangs": "import time; time.sleep(600)",
    "leaves_a_child": """
        import os, subprocess, sys
        if os.fork() == 0:
            os.setsid()
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(611)"])
            os._exit(0)
        """,
    "closes_its_files": "import os; os.closerange(0, 256)",
    "goes_away": "import os; os.chdir('/')",
    "floods": "print('x' * 1_000_000)",
}


def write(folder: Path, name: str, body: str) -> Path:
    path = folder / f"{name}.py"
    path.write_text(SMALL_MODEL + textwrap.dedent(body))
    return path


def good_scripts(folder: Path, count: int) -> list[Path]:
    """Scripts whose models differ."""
    bodies = [f"model = SmallModel({n + 2})\nmodel(torch.rand(2, {n + 2}))\n" for n in range(count)]
    return [write(folder, f"good_{n:02}", body) for n, body in enumerate(bodies)]


class Runner:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()

    def command(self, *words: object) -> list[str]:
        return [sys.executable, "-m", "turnkeyml", *map(str, words), "-d", str(self.cache)]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(self.temporary)}

    def __call__(self, *words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), capture_output=True, text=True, env=self.environment, timeout=250
        )

    def start(self, *words: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
        )

    @property
    def journal(self) -> list[Path]:
        """The records of finished inputs, without what is being written."""
        return sorted((self.cache / ".runs").glob("[!.]*.json"))

    def left_behind(self) -> list[str]:
        """Processes and files of ours that should be gone."""
        mine = str(self.folder)
        processes = [
            " ".join(p.info["cmdline"])
            for p in psutil.process_iter(["cmdline"])
            if mine in " ".join(p.info["cmdline"] or []) or "sleep(611)" in str(p.info["cmdline"])
        ]
        return [*processes, *(str(f) for f in self.temporary.glob("turnkey-*"))]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Every hostile script and two good ones, in one run with two jobs."""
    folder = tmp_path_factory.mktemp("hostile")
    runner = Runner(folder)
    (folder / "scripts").mkdir()
    for name, body in HOSTILE.items():
        write(folder / "scripts", name, f"SmallModel()(torch.rand(1, 4))\n{textwrap.dedent(body)}")
    good_scripts(folder / "scripts", 2)
    words = ("--iterations", "5", "--jobs", "2", "--timeout", "20", "--json")
    done = runner(str(folder / "scripts" / "*.py"), *words)
    results = {Path(r["input"]["path"]).stem: r for r in json.loads(done.stdout)["results"]}
    return runner, done, results


THREADS = """
class Counting(SmallModel):
    def forward(self, x):
        with open(__file__ + ".threads", "a") as file:
            print(torch.get_num_threads(), file=file)
        return super().forward(x)

Counting()(torch.rand(1, 4))
"""


def test_jobs_share_the_cores_but_for_measuring(tmp_path):
    cores = machine.usable_cores()
    scripts = [write(tmp_path, name, THREADS) for name in ("a", "b")]
    done = Runner(tmp_path)(*scripts, "--jobs", "2", "--runtime", "torch-eager", "--quick")
    assert done.returncode == 0, done.stdout
    for script in scripts:
        threads = script.with_suffix(".py.threads").read_text().split()
        assert threads[0] == str(max(1, cores // 2))
        assert threads[-1] == str(cores)


def test_every_input_has_its_row(hostile):
    _, done, results = hostile
    assert set(results) == {*HOSTILE, "good_00", "good_01"}
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", "on purpose"),
        ("segfaults", "was killed by signal 11 (SIGSEGV"),
        ("kills_itself", "was killed by signal 9 (SIGKILL"),
        ("hangs", "timeout after 20 s while the script ran"),
    ],
)
def test_the_row_says_what_happened(hostile, name, words):
    result = hostile[2][name]
    assert words in f"{result['failure']} {result['script']['error']}"


def test_what_was_found_before_the_end_is_kept(hostile):
    for name in ("segfaults", "hangs", "exits"):
        (row,) = hostile[2][name]["invocations"]
        assert row["invocation"]["class_name"] == "SmallModel"


@pytest.mark.parametrize("name", ["good_00", "good_01", "leaves_a_child", "goes_away", "floods"])
def test_the_others_are_measured(hostile, name):
    (row,) = hostile[2][name]["invocations"]
    assert row["evaluations"][0]["performance"]["iterations"] == 5


def test_nothing_is_left_behind(hostile):
    assert hostile[0].left_behind() == []


def test_each_input_has_a_line_and_failures_are_grouped(hostile):
    text = hostile[1].stderr
    assert len(re.findall(r"^\[ *\d+/11\] ", text, re.MULTILINE)) == 11
    assert "Failures by cause:" in text
    assert "Slowest inputs by phase:" in text
    report = Path(re.search(r"^The report is (.+\.csv)$", text, re.MULTILINE)[1])
    assert "good_00" in report.read_text()


def test_what_a_failed_script_printed_is_kept(hostile):
    log = Path(hostile[2]["segfaults"]["log"] or "")
    assert hostile[2]["floods"]["log"] is None
    assert not log.name or log.exists()


def test_reasons_that_differ_in_names_and_numbers_are_one_kind():
    first = "timeout after 60 s in export_pytorch: '/a/b.onnx' has 12 nodes (1, 2, 3)"
    second = "timeout after 7.5 s in export_pytorch: '/c/d/e.onnx' has 9 nodes (4, 5)"
    assert kind_of(first) == kind_of(second)
    assert kind_of(first) != kind_of("killed by signal 11 in export_pytorch")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The process exited with code 1 W.", "The process exited with code 12 W."),
        ("The script exited with code 1.", "The script exited with code 3."),
        ("was killed by signal 9 (SIGKILL)", "was killed by signal 19 (SIGKILL)"),
        ("OSError: [Errno 2] in 'a'", "OSError: [Errno 28] in 'a'"),
        ("returned non-zero exit status 1.", "returned non-zero exit status 127."),
    ],
)
def test_reasons_that_differ_in_an_exit_code_are_two_kinds(one, other):
    assert kind_of(one) != kind_of(other)
    assert kind_of(f"{one} after 1.5 s") == kind_of(f"{one} after 20 s")


@pytest.fixture(scope="module")
def resumed(tmp_path_factory):
    """A run that is killed after two inputs, resumed, and resumed again."""
    folder = tmp_path_factory.mktemp("resumed")
    runner = Runner(folder)
    (folder / "scripts").mkdir()
    scripts = good_scripts(folder / "scripts", 5)
    scripts.append(write(folder / "scripts", "bad", "raise RuntimeError('always')"))
    words = (*scripts, "--iterations", "3")
    process = runner.start(*words)
    deadline = time.monotonic() + 120
    while len(runner.journal) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(2)
    left = runner.left_behind()
    before = {path: path.read_bytes() for path in runner.journal}
    second = runner(*words, "--resume", "--json")
    after = {path: path.read_bytes() for path in runner.journal}
    third = runner(*words, "--retry", "failed", "--json")
    return left, before, after, second, third


def test_a_killed_run_leaves_nothing_that_runs(resumed):
    assert resumed[0] == []


def test_what_was_finished_is_not_done_again(resumed):
    _, before, after, _, _ = resumed
    assert 2 <= len(before) < 6
    assert len(after) == 6
    assert all(after[path] == data for path, data in before.items())


def test_a_resumed_run_has_every_row_once(resumed):
    results = json.loads(resumed[3].stdout)["results"]
    names = sorted(Path(r["input"]["path"]).stem for r in results)
    assert names == ["bad", *(f"good_{n:02}" for n in range(5))]


def test_what_failed_is_tried_again_only_if_asked_to(resumed):
    assert "Running" not in resumed[4].stdout
    (bad,) = [
        r for r in json.loads(resumed[4].stdout)["results"] if r["input"]["path"].endswith("bad.py")
    ]
    assert "always" in bad["script"]["error"]


def test_too_much_memory_ends_one_input_alone(tmp_path):
    runner = Runner(tmp_path)
    greedy = "x = bytearray(1_500_000_000)\nimport time; time.sleep(30)\n"
    scripts = [write(tmp_path, "greedy", greedy), *good_scripts(tmp_path, 1)]
    done = runner(*scripts, "--iterations", "3", "--memory-limit", "1G", "--json")
    greedy, good = json.loads(done.stdout)["results"]
    assert re.match(r"out of memory at 1\.\d GiB while the script ran", greedy["failure"])
    assert good["invocations"][0]["evaluations"][0]["performance"]


def test_a_script_that_hangs_when_all_is_done_is_killed_and_counts_as_done(tmp_path):
    body = "import atexit, time; atexit.register(time.sleep, 600)\nSmallModel()(torch.rand(1, 4))\n"
    runner = Runner(tmp_path)
    done = runner(write(tmp_path, "hangs", body), "--build-only", "--timeout", "12", "--json")
    assert done.returncode == 0
    (result,) = json.loads(done.stdout)["results"]
    assert result["failure"] is None
    assert runner.left_behind() == []


def test_interrupting_ends_everything_and_says_what_is_done(tmp_path):
    runner = Runner(tmp_path)
    (tmp_path / "scripts").mkdir()
    scripts = good_scripts(tmp_path / "scripts", 9)
    process = runner.start(*scripts, "--iterations", "3")
    lines = [process.stdout.readline() for _ in range(2)]
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "of 9 inputs are done" in "".join(lines) + rest
    assert runner.left_behind() == []


@pytest.mark.parametrize(
    "words",
    [
        ("--jobs", "0"),
        ("--memory-limit", "much"),
        ("--retry", "everything"),
        ("--timeout", "0"),
        ("--use-slurm", "--process-isolation"),
        ("--use-slurm", "--memory-limit", "8G"),
        ("--use-slurm", "--jobs", "2"),
        ("--slurm-args", "partition=x"),
    ],
)
def test_wrong_words_are_refused_in_a_sentence(tmp_path, words):
    runner = Runner(tmp_path)
    done = runner(write(tmp_path, "script", GOOD.format(n=4)), *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("turnkey: error: ")
