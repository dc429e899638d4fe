"""The cache: reuse, interruption, company, removal, moving house."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import yaml

from turnkeyml import benchmark_files, benchmark_model, build_model, load_state
from turnkeyml.cache import BuildFolder, build_name, remove_leftovers, replacing, safe_name, to_yaml
from turnkeyml.errors import TurnkeyError
from turnkeyml.launch import RunJournal
from turnkeyml.measure import load_samples

from .conftest import EXAMPLES

HELLO = EXAMPLES / "scripts" / "hello_world.py"
BUILD = "hello_world_24adc42f"


class SmallModel(torch.nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.fc = torch.nn.Linear(size, 3)

    def forward(self, x, double=False):
        return self.fc(x) * 2 if double else self.fc(x)


def build(cache, seed=0, model=None, x=None, **options):
    torch.manual_seed(seed)
    model = model or SmallModel()
    return build_model(
        model,
        {"x": torch.rand(2, 4) if x is None else x, **options.pop("more", {})},
        cache_dir=str(cache),
        build_name="b",
        monitor=False,
        **options,
    )


def stamp(cache):
    return next((cache / "b" / "onnx").glob("*.onnx")).stat().st_mtime_ns


def test_a_build_is_reused_when_nothing_changed(cache, capsys):
    build(cache)
    before = stamp(cache)
    build(cache)
    assert stamp(cache) == before
    assert "rebuilt" not in capsys.readouterr().err


def test_inputs_of_other_values_do_not_make_a_build_stale(cache):
    build(cache)
    before = stamp(cache)
    build(cache, x=torch.zeros(2, 4))
    assert stamp(cache) == before


class Other(SmallModel):
    def forward(self, x, double=False):
        return self.fc(x) - 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 1}, "weights"),
        ({"x": torch.rand(5, 4)}, "input shapes"),
        ({"model": SmallModel().double(), "x": torch.rand(2, 4).double()}, "input dtypes"),
        ({"more": {"double": True}}, "other inputs"),
        ({"sequence": "onnx-fp32"}, "sequence"),
        ({"onnx_opset": 17}, "opset"),
        ({"model": Other()}, "model"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_makes_a_build_stale_and_is_named(cache, capsys, change, named):
    build(cache)
    before = stamp(cache)
    build(cache, **change)
    assert stamp(cache) != before
    warning = capsys.readouterr().err
    assert "rebuilt" in warning
    assert named in warning


FACTOR = [1.0]


class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)


def make(scale):
    class Middle(Base):
        def forward(self, x):
            return self.fc(x) * scale

    class Leaf(Middle):
        pass

    return Leaf()


class ReadsGlobal(Base):
    def forward(self, x):
        return self.fc(x) * FACTOR[0] if x.dim() in {1, 2, 3} else x


def hooked(scale):
    model = SmallModel()
    model.register_forward_hook(lambda module, args, output: output * scale)
    return model


@pytest.mark.parametrize("kind", ["inherited", "global", "hook"])
def test_code_that_a_model_depends_on_makes_a_build_stale(cache, capsys, kind):
    for scale in (1.0, 2.0):
        FACTOR[0] = scale
        model = {"inherited": make, "global": lambda _: ReadsGlobal(), "hook": hooked}[kind](scale)
        torch.manual_seed(0)
        model.fc.reset_parameters()
        build(cache, model=model)
    assert "model changed" in capsys.readouterr().err
    FACTOR[0] = 1.0


@pytest.mark.parametrize(
    "damage", ["onnx/b-op18-opt.onnx", "inputs_original.npz", "outputs_original.npz"]
)
def test_a_damaged_file_is_seen_and_the_build_made_again(cache, capsys, damage):
    build(cache)
    (cache / "b" / damage).write_bytes(b"")
    build(cache)
    assert "removed or changed" in capsys.readouterr().err
    assert (cache / "b" / damage).stat().st_size > 0


def test_a_failed_rebuild_does_not_leave_old_numbers_behind(cache):
    from turnkeyml.report import rows

    torch.manual_seed(0)
    model, options = SmallModel(), {"build_name": "b", "cache_dir": str(cache), "iterations": 2}
    benchmark_model(model, {"x": torch.rand(4)}, **options)
    assert [r["status"] for r in rows(cache)] == ["successful"]
    with pytest.raises(TurnkeyError):
        benchmark_model(model, {"x": torch.rand(4)}, onnx_opset=99, **options)
    assert [r["status"] for r in rows(cache)] == ["failed_build"]


def test_another_minor_version_of_ours_makes_a_build_stale(cache, monkeypatch, capsys):
    build(cache)
    monkeypatch.setattr("turnkeyml.__version__", "0.2.0")
    build(cache)
    assert "turnkey version changed" in capsys.readouterr().err


def test_always_rebuilds_and_never_does_not(cache, capsys):
    build(cache)
    before = stamp(cache)
    build(cache, rebuild="always")
    after = stamp(cache)
    assert after != before
    build(cache, seed=1, rebuild="never")
    assert stamp(cache) == after
    assert "although weights changed" in capsys.readouterr().err


def test_never_without_anything_to_load_says_so(cache):
    build(cache)
    shutil.rmtree(cache / "b" / "onnx")
    with pytest.raises(TurnkeyError, match="never"):
        build(cache, rebuild="never")
    build(cache)
    assert list((cache / "b" / "onnx").glob("*.onnx"))


def test_an_interrupted_build_is_seen_and_made_again(cache, capsys):
    build(cache)
    state = cache / "b" / "b_state.yaml"
    state.write_text(state.read_text().replace("successful_build", "build_running"))
    (cache / "b" / ".work-123").mkdir()
    (cache / "b" / ".writing-abc").write_text("half")
    build(cache)
    assert "interrupted" in capsys.readouterr().err
    assert not list((cache / "b").glob(".w*"))
    assert load_state("b", cache).succeeded


@pytest.mark.parametrize("damage", ["", "{", "build_name: b\n", "- 1\n"])
def test_a_damaged_state_file_is_no_build(cache, damage):
    build(cache)
    (cache / "b" / "b_state.yaml").write_text(damage)
    build(cache)
    assert load_state("b", cache).succeeded


def test_a_folder_can_be_moved_and_renamed(cache, tmp_path):
    build(cache)
    shutil.move(cache / "b", tmp_path / "elsewhere")
    state = load_state("elsewhere", tmp_path)
    assert state.succeeded
    assert (tmp_path / "elsewhere" / state.artifacts["onnx"]).exists()


def test_a_lean_cache_keeps_logs_state_and_stats(cache):
    torch.manual_seed(0)
    model, inputs = SmallModel(), {"x": torch.rand(4)}
    for earlier in range(2):
        benchmark_model(
            model, inputs, build_name="b", cache_dir=str(cache), lean_cache=True, iterations=2
        )
        assert sorted(p.name for p in (cache / "b").iterdir()) == [
            "b_state.yaml",
            "log_export_pytorch.txt",
            "log_optimize_onnx.txt",
            "log_set_success.txt",
            "log_verification.txt",
            *["turnkey_history.jsonl"] * earlier,
            "turnkey_stats.yaml",
        ]


def test_the_folder_of_a_run_is_the_documented_one(cache):
    (result,) = benchmark_files(str(HELLO), cache_dir=str(cache), iterations=7)
    folder = cache / BUILD
    assert result.ok
    assert {p.name for p in folder.iterdir()} == {
        f"{BUILD}_state.yaml",
        "turnkey_stats.yaml",
        "inputs_original.npz",
        "outputs_original.npz",
        "outputs_original_fp64.npz",
        "outputs_original_fp32_reach.npz",
        *(f"{kind}_held_out_{n}.npz" for kind in ("inputs", "outputs") for n in range(1, 5)),
        *(f"outputs_held_out_{n}_{p}.npz" for n in range(1, 5) for p in ("fp64", "fp32_reach")),
        "onnx",
        "x86_benchmark",
        "log_export_pytorch.txt",
        "log_optimize_onnx.txt",
        "log_set_success.txt",
        "log_verification.txt",
    }
    stats = yaml.safe_load((folder / "turnkey_stats.yaml").read_text())
    (evaluation,) = stats["evaluations"]
    performance = evaluation["performance"]
    assert evaluation["samples_file"] == "x86_benchmark/ort/samples.npz"
    (samples,) = load_samples(folder / evaluation["samples_file"])
    assert len(samples) == performance["iterations"] == 7
    assert performance["mean_latency"] == pytest.approx(samples.mean())
    assert evaluation["verification"]["verdict"] == "match"
    assert stats["build"]["exporter"] == "torchscript"
    assert not list(cache.rglob(".w*"))


def start(cache: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "turnkeyml", str(HELLO), "-d", str(cache), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_two_turnkeys_may_work_on_the_same_model_at_once(cache):
    runs = [start(cache, "--rebuild", "always", "--iterations", "20") for _ in range(2)]
    outputs = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], outputs
    assert all("Mean Latency" in output for output in outputs)
    assert load_state(BUILD, cache).succeeded
    assert not list(cache.rglob(".w*"))


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.3, 2.2, 2.6, 3.0, 3.4])
def test_after_a_kill_at_any_moment_the_next_run_is_well(cache, seconds):
    run = start(cache, "--iterations", "20")
    time.sleep(seconds)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    for path in cache.rglob("*.yaml"):
        assert yaml.safe_load(path.read_text())
    after = start(cache, "--iterations", "20")
    output = after.communicate()[0]
    assert after.returncode == 0, output
    assert load_state(BUILD, cache).succeeded
    # One in the journal goes as soon as it is too old to be written by somebody else.
    assert not list((cache / BUILD).rglob(".w*"))


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    with contextlib.suppress(RuntimeError), replacing(path) as temporary:
        temporary.write_text("new, but only ha")
        raise RuntimeError("the disk has gone")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_yaml_is_plain_and_in_order():
    shared = [1, 2]
    text = to_yaml({"b": shared, "a": shared, "c": "ü"})
    assert text == "b:\n- 1\n- 2\na:\n- 1\n- 2\nc: ü\n"


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a b", "a b"),
        ("../up", "_up"),
        ("a/b", "a_b"),
        ("", "_"),
        ("..", "_"),
        ("new\nline", "new_line"),
        ("ünïcode", "ünïcode"),
    ],
)
def test_names_of_builds_are_names_of_folders(name, safe):
    assert safe_name(name) == safe
    assert len(safe_name(name * 300).encode()) <= 120
    assert build_name(name * 300, "12345678").endswith("_12345678")
    assert BuildFolder(Path("/c"), safe_name(name)).path.parent == Path("/c")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small file system")
class TestSmallDisk:
    @pytest.fixture
    def disk(self, tmp_path):
        def mount(options):
            folder = tmp_path / "disk"
            folder.mkdir()
            command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
            if subprocess.run(command, capture_output=True).returncode != 0:
                pytest.skip("this machine does not let root mount a tmpfs")
            return folder

        yield mount
        subprocess.run(["umount", str(tmp_path / "disk")], capture_output=True)

    def test_a_full_disk_is_one_sentence(self, disk, script, turnkey):
        folder = disk("size=300k")
        path = script("SmallModel(400, 400)(torch.rand(400))")
        result = turnkey(path, "-d", folder / "cache")
        assert result.returncode == 1
        assert "No space left" in result.stdout or "disk is full" in result.stdout
        assert "script_" in result.stdout

    def test_a_read_only_cache_is_refused_before_anything_runs(self, disk, script, turnkey):
        folder = disk("ro")
        path = script("print('the script ran')")
        result = turnkey(path, "-d", folder / "cache")
        assert result.returncode == 1
        assert "cannot be written to (Read-only file system)" in result.stderr
        assert "the script ran" not in result.stdout
        assert turnkey(path, "-d", folder / "cache", "--analyze-only").returncode == 0


def test_finished_builds_are_measured_again_without_torch(cache, tmp_path):
    build(cache)
    moved = tmp_path / "elsewhere"
    shutil.move(cache, moved)
    check = (
        "import sys\n"
        f"sys.argv = ['turnkey', 'cache', 'benchmark', 'b', '--quick', '-d', {str(moved)!r}]\n"
        "from turnkeyml.cli.entry import main\n"
        "try: main()\n"
        "finally: print([m for m in ('torch', 'onnx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert "Mean Latency:" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    (evaluation,) = yaml.safe_load((moved / "b" / "turnkey_stats.yaml").read_text())["evaluations"]
    assert evaluation["verification"]["verdict"] == "match"


def test_skip_policies_leave_out_what_was_measured(cache):
    from turnkeyml.api import make_plan
    from turnkeyml.evaluate import measure_again

    build(cache)
    folder = BuildFolder(cache, "b")
    plan = make_plan(cache_dir=str(cache), runtime=["ort", "torch-eager"], iterations=2)
    first = measure_again(folder, plan, "none")
    assert [(e.runtime, e.ok) for e in first] == [("ort", True), ("torch-eager", False)]
    assert "run its script again" in first[1].reason
    assert [e.runtime for e in measure_again(folder, plan, "successful")] == ["torch-eager"]
    assert [e.runtime for e in measure_again(folder, plan, "failed")] == ["ort"]
    assert measure_again(folder, plan, "attempted") == []


def test_deleting_everything_asks_in_a_terminal(cache):
    import pty

    build(cache)
    for answer, left in ((b"n\n", True), (b"y\n", False)):
        main, theirs = pty.openpty()
        command = [sys.executable, "-m", "turnkeyml", "cache", "delete", "--all", "-d", str(cache)]
        run = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs)
        os.write(main, answer)
        run.wait()
        os.close(theirs)
        os.close(main)
        assert (cache / "b").exists() == left


def test_only_builds_inside_the_cache_are_ever_deleted(cache, tmp_path, turnkey):
    build(cache)
    (cache / "not_a_build").mkdir()
    (cache / "link").symlink_to(tmp_path / "precious")
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "turnkey_stats.yaml").write_text("a: 1")
    for name in ("..", "../precious", str(tmp_path / "precious"), "link", "not_a_build", ""):
        assert turnkey("cache", "delete", name).returncode in (1, 2), name
        assert turnkey("cache", "clean", name).returncode in (1, 2), name
    assert turnkey("cache", "delete", "--all").returncode == 0
    assert {p.name for p in cache.iterdir()} == {".locks", "not_a_build", "link"}
    assert (tmp_path / "precious" / "turnkey_stats.yaml").exists()


def test_a_leftover_is_removed_only_when_nobody_writes_it_any_more(tmp_path):
    with replacing(tmp_path / "a.json") as written:
        written.write_text("1")
        abandoned = tmp_path / ".writing-0123456789abcdef.json"
        abandoned.write_text("half")
        for path in (written, abandoned):  # as if a clock had jumped, or its process been stopped
            os.utime(path, (0, 0))
        remove_leftovers(tmp_path)
        assert written.exists()
        assert not abandoned.exists()
    assert (tmp_path / "a.json").read_text() == "1"


def test_a_run_removes_what_killed_commands_left_half_written(cache):
    folder = cache / ".runs"
    folder.mkdir(parents=True)
    rests = [where / ".writing-0123456789abcdef.json" for where in (cache, folder)]
    for rest in rests:
        rest.write_text("half")
        os.utime(rest, (0, 0))
    RunJournal(str(cache)).begin([])
    assert not any(rest.exists() for rest in rests)
