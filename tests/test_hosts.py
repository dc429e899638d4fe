"""``--host``: the worker on another machine over SSH, with a real server on this one."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import onnx
import onnxruntime
import pytest
from onnx import helper

from turnkeyml.api import make_plan
from turnkeyml.errors import MeasureError, TurnkeyError, UsageError
from turnkeyml.measure import Store
from turnkeyml.nouns import HERE, Place, answers_to, label_of
from turnkeyml.options import hosts, places_of
from turnkeyml.system import examine_on

from . import sshd as servers
from .conftest import EXAMPLES, evaluations, printed
from .sshd import ALIAS, Sshd

pytestmark = pytest.mark.slow

SAMPLE = EXAMPLES / "onnx" / "sample.onnx"
LIBRARIES = {"numpy": numpy, "onnxruntime": onnxruntime}
needs_sshd = pytest.mark.skipif(bool(servers.missing()), reason=servers.missing() or "-")
if servers.missing() and os.environ.get("TURNKEY_REQUIRE_SSHD"):
    raise RuntimeError(servers.missing())


@pytest.fixture(scope="module")
def sshd() -> Iterator[Sshd]:
    with servers.running() as made:
        yield made


def environment(sshd: Sshd, name: str, *modules: str) -> str:
    """The interpreter of a new environment on the host that has these modules and no others."""
    folder = sshd.folder / name
    words = [sshd.python, "-m", "venv", "--without-pip", "--symlinks", str(folder)]
    subprocess.run(words, check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for module in modules:
        ours = Path(LIBRARIES[module].__file__).parent
        (site / module).symlink_to(ours)
        libraries = ours.with_name(f"{module}.libs")
        if libraries.exists():
            (site / libraries.name).symlink_to(libraries)
    return str(folder / "bin" / "python")


@pytest.fixture(scope="module")
def python(sshd) -> str:
    return environment(sshd, "bare", "numpy", "onnxruntime")


@pytest.fixture
def reach(sshd, monkeypatch) -> Callable[..., None]:
    """Sets how this process reaches the host; lines of ssh's configuration come first."""

    def configure(name: str = "usual", *lines: str) -> None:
        for key, value in sshd.configure(name, *lines).items():
            monkeypatch.setenv(key, value)

    configure()
    return configure


def blobs(sshd: Sshd) -> dict[str, int]:
    """What was sent to the host, by its hash; the number of a file changes if it is sent again."""
    return {path.name: path.stat().st_ino for path in (sshd.remote / "blobs").iterdir()}


@pytest.fixture(scope="module")
def raced(sshd, python, tmp_path_factory) -> tuple[Path, str]:
    """A cache after a race of two machines, which are one, and what the race printed."""
    folder = tmp_path_factory.mktemp("race")
    words = ["race", SAMPLE, "--host", ALIAS, "--host", "ort-near=near", "--iterations", 20]
    return folder, printed(
        *words,
        "--python",
        f"there={python}",
        "--baseline",
        "ort-near",
        "-d",
        folder,
        env=sshd.environment,
    )


@needs_sshd
def test_machines_are_contestants_of_a_race(raced):
    _, text = raced
    rows = [line.strip() for line in text.splitlines() if line.strip().startswith("ort")]
    assert rows[0].startswith("ort (host far, python there) fp32")
    assert rows[1].startswith("ort-near (python there) fp32")
    assert "(baseline)" in rows[1]
    assert all(row.endswith("match") for row in rows[:2])


@needs_sshd
def test_the_record_describes_the_machine(raced, python):
    found = evaluations(raced[0])
    assert [(e["host"], e["python"]) for e in found] == [("far", "there"), ("ort-near", "there")]
    for one in found:
        conditions = one["conditions"]
        assert conditions["python"] == python
        assert conditions["machine"] == os.uname().nodename
        assert conditions["cpu"] == one["device"]
        assert conditions["threads"] >= 1
        assert conditions["memory_speed"] > 0
        assert conditions["load_average"] is not None
        assert conditions["libraries"]["onnxruntime"] == onnxruntime.__version__
        assert one["verification"]["verdict"] == "match"
    assert found[0]["samples_file"] != found[1]["samples_file"]


@needs_sshd
def test_it_ran_as_the_user_of_the_host(raced, sshd):
    assert sshd.remote.owner() == sshd.user
    assert len(list((sshd.remote / "packages").iterdir())) == 1


@needs_sshd
def test_reports_and_comparisons_show_machines_apart(raced, sshd, tmp_path):
    cache, _ = raced
    printed("cache", "report", "-d", cache, "-r", tmp_path, env=sshd.environment)
    (report,) = tmp_path.glob("*.csv")
    with report.open() as file:
        assert [row["host"] for row in csv.DictReader(file)] == ["far", "ort-near"]
    for side in (cache, report):
        text = printed("compare", side, side, env=sshd.environment)
        assert "ort (host far, python there) fp32" in text
        assert "only in" not in text


@needs_sshd
def test_a_second_run_sends_nothing(raced, sshd, python, tmp_path):
    before = blobs(sshd)
    assert before
    cache = tmp_path / "cache"
    shutil.copytree(raced[0], cache)
    words = ["cache", "benchmark", "sample*", "-d", cache, "--iterations", 20]
    words += ["--python", f"there={python}", "--host", ALIAS, "--host", "third=near"]
    printed(*words, "--skip", "successful", env=sshd.environment)
    assert [e["host"] for e in evaluations(cache)] == ["far", "ort-near", "third"]
    assert blobs(sshd) == before


@pytest.mark.slow
@needs_sshd
def test_this_machine_races_against_another_one(sshd, python, tmp_path):
    words = ["race", SAMPLE, "--host", "here", "--host", ALIAS, "--python", f"p={python}"]
    text = printed(*words, "--quick", "-d", tmp_path, env=sshd.environment)
    found = evaluations(tmp_path)
    assert [(e["host"], e["conditions"]["machine"]) for e in found] == [
        ("", ""),
        (ALIAS, os.uname().nodename),
    ]
    assert "ort (host far, python p) fp32" in text


@needs_sshd
def test_threads_of_the_machine_are_the_default_and_can_be_chosen(raced, sshd, python, tmp_path):
    words = [SAMPLE, "--host", ALIAS, "--python", python, "--iterations", 20, "--threads", 1]
    printed(*words, "-d", tmp_path, env=sshd.environment)
    (one,) = evaluations(tmp_path)
    assert one["conditions"]["threads"] == 1
    assert one["conditions"]["settings"]["intra_op_num_threads"] == 1


def product(path: Path, width: int) -> Path:
    """An ONNX file that multiplies with a matrix, which is external data."""
    weights = onnx.numpy_helper.from_array(numpy.ones((width, width), numpy.float32), "w")
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", 1, [2, width])],
        [helper.make_tensor_value_info("y", 1, [2, width])],
        [weights],
    )
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 18)])
    settings = {"save_as_external_data": True, "location": f"{path.stem}.data", "size_threshold": 0}
    onnx.save(model, path, **settings)
    return path


@needs_sshd
def test_external_data_goes_over_with_the_model(sshd, python, tmp_path):
    made = product(tmp_path / "m.onnx", 8)
    cache = tmp_path / "cache"
    words = [made, "--host", ALIAS, "--python", python, "--iterations", 20]
    printed(*words, "-d", cache, env=sshd.environment)
    (one,) = evaluations(cache)
    assert one["verification"]["verdict"] == "match"


# What people get wrong


def program(sshd: Sshd, name: str, text: str) -> str:
    path = sshd.folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def wrong(sshd, reach, monkeypatch) -> Callable[[str], dict]:
    """Arranges what is wrong, and gives the options."""

    def arrange(what: str) -> dict:
        options: dict = {"host": ALIAS}
        if what == "unknown host":
            return {"host": "nowhere.invalid"}
        if what == "refused":
            reach("refused", f"IdentityFile {sshd.folder}/stranger")
        elif what == "closed port":
            reach("closed", "Port 1")
        elif what == "changed key":
            changed = sshd.folder / "changed.known"
            key = (sshd.folder / "other-host.pub").read_text()
            changed.write_text(f"[127.0.0.1]:{sshd.port} {key}")
            reach("changed")
        elif what == "unknown key":
            (sshd.folder / "unknown.known").write_text("\n")
            reach("unknown")
        elif what == "no ssh":
            monkeypatch.setenv("TURNKEY_SSH", "/absent/ssh")
        elif what == "wrong ssh option":
            monkeypatch.setenv("TURNKEY_SSH", "ssh -o Nonsense=1")
        elif what == "no python":
            options["python"] = "p=python9.99"
        elif what == "other program":
            options["python"] = "p=" + program(sshd, "other", "echo hello >&2; exit 3")
        elif what == "old":
            said = 'turnkey-host {"python": [3, 8, 18], "modules": ["numpy"]}'
            options["python"] = "p=" + program(sshd, "old", f"echo '{said}'; sleep 9")
        elif what == "no numpy":
            options["python"] = "p=" + environment(sshd, "empty")
        elif what == "no runtime":
            options["python"] = "p=" + environment(sshd, "lacking", "numpy")
        return options

    return arrange


@needs_sshd
@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("unknown host", "The host nowhere.invalid is not known: Could not resolve hostname"),
        ("refused", "The host far refused to log us in: "),
        ("closed port", "The host far cannot be reached: connect to host 127.0.0.1 port 1: "),
        ("changed key", "The host far has another host key than when you last connected; "),
        ("unknown key", "The host far has a host key that is not known here; connect once with"),
        ("no ssh", "--host needs the command /absent/ssh, which is not installed; "),
        ("wrong ssh option", "The connection to the host far failed: command-line: line 0: Bad"),
        ("no python", "The host far has no Python interpreter python9.99 that can be run; "),
        ("other program", "on the host far is not a Python interpreter that works (exit code 3: "),
        ("old", "on the host far is Python 3.8.18; to measure with it, it must be 3.10 or newer"),
        ("no numpy", "/empty/bin/python -m pip install numpy' there."),
        ("no runtime", "which the runtime ort needs; run '"),
    ],
)
def test_a_host_that_cannot_measure_is_refused_before_any_build(what, sentence, wrong):
    options = wrong(what)
    with pytest.raises(TurnkeyError) as refused:
        make_plan(**options)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not isinstance(refused.value, UsageError)


@needs_sshd
def test_a_refused_host_exits_with_status_1_and_builds_nothing(sshd, turnkey, cache):
    result = turnkey(SAMPLE, "--host", "nowhere.invalid", env=sshd.environment)
    assert result.returncode == 1
    assert "The host nowhere.invalid is not known" in result.stderr
    assert not cache.exists()


@needs_sshd
def test_a_shell_that_prints_when_it_starts_does_no_harm(sshd, reach):
    path = program(sshd, "noisy", f'echo hello; echo "{{}}"; exec {sshd.python} "$@"')
    assert examine_on(ALIAS, path, ["json", "absent_module"]).modules == {"json"}


@needs_sshd
def test_paths_of_the_host_are_those_of_its_shell(sshd, reach):
    link = sshd.home / "a python"
    link.symlink_to(sshd.python)
    try:
        assert examine_on(ALIAS, "~/a python", []).version[0] == 3
    finally:
        link.unlink()


@needs_sshd
@pytest.mark.parametrize(
    ("size", "sentence"),
    [("64k", "No space left on device; make room"), ("8m", "it takes 16 MB and only ")],
)
def test_a_full_disk_is_the_failure_of_the_row(size, sentence, sshd, python, turnkey):
    """Whether this package has no room or the model."""
    small, model = sshd.folder / f"small-{size}", product(sshd.folder / f"{size}.onnx", 2000)
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small file system")
    try:
        env = {**sshd.environment, "TURNKEY_REMOTE_DIR": str(small)}
        result = turnkey(model, "--host", ALIAS, "--python", python, env=env)
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert result.returncode == 1
    assert f"The host far cannot keep what is measured in {small}: {sentence}" in result.stdout
    assert "TURNKEY_REMOTE_DIR" in result.stdout


@needs_sshd
def test_a_folder_that_is_not_ours_is_the_failure_of_the_row(sshd, python, turnkey, cache):
    env = {**sshd.environment, "TURNKEY_REMOTE_DIR": "/proc/nowhere"}
    result = turnkey(SAMPLE, "--host", ALIAS, "--python", python, env=env)
    assert result.returncode == 1
    assert "The host far cannot keep what is measured in /proc/nowhere: " in result.stdout


# The end


@contextlib.contextmanager
def measuring(sshd: Sshd, python: str, cache: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that goes on for a long time, and whose worker has begun."""
    words = [SAMPLE, "--host", ALIAS, "--python", python, "--iterations", 1000000000]
    process = subprocess.Popen(
        [sys.executable, "-m", "turnkeyml", *map(str, words), "-d", str(cache)],
        env={**os.environ, **sshd.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        assert within(60, lambda: workers(sshd)), "no worker"
        time.sleep(1.0)
        yield process
    finally:
        process.kill()
        process.communicate()


def workers(sshd: Sshd) -> list[int]:
    return sshd.processes("turnkeyml.measure.worker")


def clients(sshd: Sshd) -> list[int]:
    """The processes of ssh, on our side."""
    found = []
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[0] == b"ssh" and str(sshd.folder).encode() in b" ".join(words):
                found.append(pid)
    return found


def within(seconds: float, condition: Callable[[], object]) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return bool(condition())


@needs_sshd
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_worker_ends_with_whoever_asked_for_it(number, sshd, python, cache):
    with measuring(sshd, python, cache) as process:
        process.send_signal(number)
        assert within(15, lambda: not workers(sshd))
        assert within(15, lambda: not clients(sshd))


@needs_sshd
def test_a_lost_connection_ends_the_worker_and_the_row_says_so(sshd, python, cache):
    with measuring(sshd, python, cache) as process:
        for pid in clients(sshd):
            os.kill(pid, signal.SIGKILL)
        text, _ = process.communicate(timeout=60)
        assert "lost the connection to the host far" in text
        assert process.returncode == 1
    assert within(15, lambda: not workers(sshd))


@needs_sshd
def test_a_worker_that_dies_there_is_the_failure_of_the_row(sshd, python, cache):
    with measuring(sshd, python, cache) as process:
        for pid in workers(sshd):
            os.kill(pid, signal.SIGSEGV)
        text, _ = process.communicate(timeout=60)
        assert "was killed by signal 11 (SIGSEGV" in text


@needs_sshd
def test_a_silent_connection_ends_the_worker(sshd, python, reach, tmp_path, monkeypatch):
    """As if a cable was pulled: nothing ends, and nothing arrives."""
    from turnkeyml.measure import spawn as starting

    monkeypatch.setattr(starting, "SILENCE_SECONDS", 2.0)
    monkeypatch.setattr(starting, "BEAT_SECONDS", 0.5)
    with opened(sshd, python, tmp_path) as worker:
        time.sleep(4.0)
        assert workers(sshd), "signs of life keep it"
        for pid in clients(sshd):
            os.kill(pid, signal.SIGSTOP)
        try:
            assert within(15, lambda: not workers(sshd))
        finally:
            for pid in clients(sshd):
                os.kill(pid, signal.SIGCONT)
        with pytest.raises(MeasureError, match="heard nothing for 2 s"):
            worker.take(1, 1)


@contextlib.contextmanager
def opened(sshd: Sshd, python: str, folder: Path) -> Iterator:
    from turnkeyml.measure import Worker, WorkerRequest
    from turnkeyml.runtimes import Request

    printed(SAMPLE, "--build-only", "-d", folder, env=sshd.environment)
    (build,) = [p.parent for p in folder.glob("*/turnkey_stats.yaml")]
    (model,) = build.glob("onnx/*.onnx")
    file = model.relative_to(build).as_posix()
    request = WorkerRequest(
        device="x86",
        runtime="ort",
        request=Request(0, str(model), precision="fp32", build_folder=str(build)),
        cache_dir=str(folder),
        build_name=build.name,
        files=(file,),
    )
    place = Place(python=python, host=ALIAS, host_name=ALIAS)
    worker = Worker("turnkeyml.measure.worker", request, folder / "logs", "ort", place)
    with contextlib.closing(worker):
        yield worker


def test_a_store_forgets_what_nobody_used_for_a_month(tmp_path):
    store = Store(tmp_path)
    digest = hashlib.sha256(b"x").hexdigest()
    for name in ("old", digest):
        store.path(name).write_bytes(b"x")
        os.utime(store.path(name), (0, 0))
    build = store.build("model_1", [["onnx/model.onnx", digest, 1]])
    store.forget_old()
    assert (build / "onnx" / "model.onnx").read_bytes() == b"x"
    assert store.has(digest, 1)
    assert not store.path("old").exists()


# Words


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (None, []),
        ("pi=me@raspberry", ["pi"]),
        (["me@raspberry.lan", "server"], ["raspberry.lan", "server"]),
        ("ssh://me@raspberry:2222", ["raspberry"]),
        ({"a": "me@raspberry"}, ["a"]),
    ],
)
def test_hosts_have_names(given, names):
    assert [place.host_name for place in hosts(given)] == names


@pytest.mark.parametrize("given", ["=x", "a=", "-oProxyCommand=x", "a=-x", "a b", ["x", "me@x"]])
def test_hosts_are_machines_with_different_names(given):
    with pytest.raises(UsageError):
        hosts(given)


def test_each_interpreter_is_used_on_each_host():
    given = {"host": hosts(["a", "b"]), "python": (Place("x", "~/x"), Place("y", "python3.12"))}
    found = [(p.host_name, p.name, p.python) for p in places_of(given)]
    assert found == [
        ("a", "x", "~/x"),
        ("a", "y", "python3.12"),
        ("b", "x", "~/x"),
        ("b", "y", "python3.12"),
    ]
    assert places_of({"host": hosts("a")}) == (Place(host="a", host_name="a"),)


def test_this_machine_takes_part_too(tmp_path):
    assert places_of({"host": hosts(["here", "a"])})[0] == HERE
    given = {"host": hosts("mine=here"), "python": (Place("x", "x/python"),)}
    assert places_of(given) == (Place("x", os.path.abspath("x/python"), host_name="mine"),)


def test_live_models_stay_on_this_machine():
    with pytest.raises(UsageError, match=r"torch-eager measures the live model .* --host does not"):
        make_plan(host="a", runtime=["ort", "torch-eager"])


def test_a_contestant_is_called_by_the_name_of_its_host():
    assert label_of("ort", "", "fp32", "pi") == "ort (host pi) fp32"
    assert label_of("ort", "old", "", "pi") == "ort (host pi, python old)"
    assert label_of("ort", "ort-1.20", "", "pi") == "ort-1.20 (host pi)"
    for wanted in ("ort", "pi", "pi-fp32", "old", "ort (host pi, python old) fp32"):
        assert answers_to(wanted, "ort", "old", "fp32", "pi")


def test_json_has_the_host():
    from turnkeyml.report import document_schema

    assert '"host"' in json.dumps(document_schema())
