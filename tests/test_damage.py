"""A file of ours may be damaged in any way: one sentence says so, and everything else goes on."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies

from turnkeyml.cache import (
    BuildFolder,
    build_folders,
    evaluations_in,
    load_arrays,
    read_json,
    read_state,
    read_stats,
)
from turnkeyml.cli.entry import _run
from turnkeyml.errors import MeasureError
from turnkeyml.measure import load_samples
from turnkeyml.nouns import Input, events

from .conftest import SMALL_MODEL
from .damages import DAMAGES

pytestmark = pytest.mark.slow

FILES = {
    "state": "{name}_state.yaml",
    "stats": "turnkey_stats.yaml",
    "evaluation": "x86_benchmark/ort/evaluation.json",
    "samples": "x86_benchmark/ort/samples.npz",
    "inputs": "inputs_original.npz",
    "outputs": "outputs_original.npz",
    "held out": "inputs_held_out_1.npz",
    "onnx": "onnx",
}
RECORDS = ("state", "stats")
"""What every command reads."""


def few(examples: int) -> settings:
    """The same examples in every run, and nothing left behind in the working folder."""
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )


class Cache:
    """A copy of the cache with a build to damage and another one that must stay as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        names = [folder.name for folder in build_folders(path)]
        (self.victim,) = [n for n in names if n.startswith("damaged")]
        (self.other,) = [n for n in names if n.startswith("other")]

    def file(self, kind: str) -> Path:
        """A file of the build that is damaged."""
        path = self.path / self.victim / FILES[kind].format(name=self.victim)
        return next(path.glob("*.onnx")) if kind == "onnx" else path

    def content(self) -> dict[str, bytes]:
        """Every file of the other build."""
        files = sorted((self.path / self.other).rglob("*"))
        return {str(f.relative_to(self.path)): f.read_bytes() for f in files if f.is_file()}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "damaged.py").write_text(SMALL_MODEL + "SmallModel()(torch.rand(4))\n")
    tensor = onnx.helper.make_tensor_value_info
    weight = onnx.numpy_helper.from_array(np.ones((4, 3), np.float32), "w")
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [tensor("x", onnx.TensorProto.FLOAT, [2, 4])],
        [tensor("y", onnx.TensorProto.FLOAT, [2, 3])],
        [weight],
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=8)
    onnx.save(model, str(folder / "other.onnx"))
    return [folder / "damaged.py", folder / "other.onnx"]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory, inputs) -> Cache:
    """Two builds that were measured, made once."""
    path = tmp_path_factory.mktemp("pristine") / "cache"
    words = [*map(str, inputs), "-d", str(path), "--iterations", "3"]
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", *words], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Cache(path)


@contextlib.contextmanager
def copy_of(cache: Cache):
    with tempfile.TemporaryDirectory() as folder:
        yield Cache(Path(shutil.copytree(cache.path, Path(folder) / "cache")))


def turnkey(*words: object) -> tuple[int, str, str]:
    """Run a command in this process; anything that it raises is a traceback for a user."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = _run([str(word) for word in words], "turnkey")
    return status, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def intact(pristine) -> dict[str, list[dict[str, str]]]:
    return rows_of(pristine)


def rows_of(cache: Cache) -> dict[str, list[dict[str, str]]]:
    """The rows of the report by build, without the place of the cache."""
    with tempfile.TemporaryDirectory() as folder:
        status, _, err = turnkey("cache", "report", "-d", cache.path, "-r", folder)
        assert status == 0, err
        (report,) = Path(folder).iterdir()
        with report.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    rows = [{k: v for k, v in r.items() if v and k != "cache_dir"} for r in rows]
    return {
        name: [row for row in rows if row["build_name"] == name]
        for name in (cache.victim, cache.other)
    }


@given(kind=strategies.sampled_from(list(FILES)), damage=DAMAGES)
@few(150)
def test_one_sentence_names_the_damaged_build_and_the_other_is_intact(
    pristine, intact, kind, damage
):
    with copy_of(pristine) as cache:
        before = cache.content()
        damage.do(cache.file(kind))
        status, out, err = turnkey("cache", "list", "-d", cache.path)
        assert (status, out.splitlines()[1:]) == (0, [cache.victim, cache.other])
        assert len(err.splitlines()) <= 1, err
        assert not err or f"build {cache.victim} " in err
        assert err or not (damage.certain and kind in RECORDS)
        _check_stats(cache, err)
        rows = rows_of(cache)
        assert rows[cache.other] == intact[cache.other]
        assert rows[cache.victim]
        unreadable = any(row["status"] == "unreadable" for row in rows[cache.victim])
        assert unreadable or not (damage.certain and kind == "stats")
        _check_comparison(cache, pristine)
        for command in ("clean", "delete"):
            status, out, err = turnkey("cache", command, cache.victim, "-d", cache.path)
            assert status == 0, err
            assert cache.victim in out
        assert not (cache.path / cache.victim).exists()
        assert cache.content() == before


def _check_stats(cache: Cache, sentence: str) -> None:
    status, out, err = turnkey("cache", "stats", cache.victim, cache.other, "-d", cache.path)
    assert (status, err) == (0, sentence)
    assert f"build_name: {cache.other}" in out
    assert "\x1b" not in out


def _check_comparison(cache: Cache, pristine: Cache) -> None:
    status, out, err = turnkey("compare", pristine.path, cache.path)
    assert status == 0, err
    assert "other" in out
    mine, theirs = (c.file("evaluation") for c in (cache, pristine))
    status, _, err = turnkey("compare", theirs, mine)
    assert status in (0, 1)
    assert len(err.splitlines()) == status


@given(damage=DAMAGES)
@few(60)
def test_what_became_of_an_input_is_read_or_the_input_is_done_again(pristine, inputs, damage):
    from turnkeyml.nouns import InputResult, from_dict

    (journal,) = (pristine.path / ".runs").glob("damaged-*.json")
    whole = from_dict(InputResult, json.loads(journal.read_text()))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(journal, folder))
        damage.do(copy)
        try:
            found = from_dict(InputResult, read_json(copy))
        except ValueError:
            return
        assert not damage.certain
        assert isinstance(found, type(whole))


@given(kind=strategies.sampled_from(["inputs", "outputs", "samples"]), damage=DAMAGES)
@few(150)
def test_arrays_are_read_or_refused_in_a_sentence(pristine, kind, damage):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(pristine.file(kind), folder))
        damage.do(file)
        load, error = {"samples": (load_samples, ValueError)}.get(kind, (load_arrays, MeasureError))
        refused = ""
        found = None
        try:
            found = load(file)
        except error as sentence:
            refused = str(sentence)
        assert len(refused.splitlines()) == (found is None)
        assert not damage.certain or not found  # an archive without arrays is one of no inputs


@given(damage=DAMAGES)
@few(300)
def test_an_onnx_file_is_read_or_refused_in_a_sentence(inputs, damage):
    from turnkeyml.discover import find_invocations

    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(inputs[1], folder))
        damage.do(file)
        found = find_invocations(Input(str(file)))
        assert found.subjects or found.outcome.error
        assert len((found.outcome.error or "").splitlines()) <= 1


EVENTS = [
    events.ScriptStarted(),
    events.StageStarted("f93db89f", "export", "Exporting", 1, 3),
    events.MeasureEstimated("f93db89f", 1.5),
    events.InputFinished(),
]


@given(damage=DAMAGES, place=strategies.integers(0, 3))
@few(150)
def test_the_events_around_a_damaged_line_are_read(damage, place):
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for event in EVENTS:
            path = Path(folder) / "line.json"
            events.Sink(str(path)).send(event)
            lines.append(path.read_bytes())
            path.unlink()
        path.write_bytes(lines[place])
        damage.do(path)
        damaged = path.read_bytes() if path.is_file() else b"[]"
        whole = Path(folder) / "events.jsonl"
        whole.write_bytes(b"".join([*lines[:place], damaged + b"\n", *lines[place + 1 :]]))
        reader = events.Reader(str(whole))
        found = reader.read()
        rest = [e for n, e in enumerate(EVENTS) if n != place]
        assert [e for e in found if e in rest] == rest
        assert len(found) == len(EVENTS) or reader.damaged or not damaged.strip()
        assert all(len(sentence.splitlines()) == 1 for sentence in reader.damaged)


def break_text(path: Path) -> None:
    path.write_bytes(b"{" + path.read_bytes())


def break_bytes(path: Path) -> None:
    """Of the same size, so that only whoever reads it can tell."""
    path.write_bytes(b"\x81" * path.stat().st_size)


def put_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("kind", "damage", "sentence"),
    [
        ("state", break_text, "The state of build {name} cannot be read"),
        ("state", put_folder, "The state of build {name} cannot be read"),
        ("stats", break_text, "they are in turnkey_stats.damaged.yaml"),
        ("stats", put_folder, "they are in turnkey_stats.damaged.yaml"),
        ("inputs", put_folder, "had been removed or changed"),
    ],
)
def test_a_later_run_says_what_was_damaged_and_mends_it(pristine, inputs, kind, damage, sentence):
    with copy_of(pristine) as cache:
        damage(cache.file(kind))
        words = [inputs[0], "-d", cache.path, "--iterations", "3"]
        done = subprocess.run(
            [sys.executable, "-m", "turnkeyml", *map(str, words)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        assert sentence.format(name=cache.victim) in done.stdout
        folder = BuildFolder(cache.path, cache.victim)
        assert read_state(folder).succeeded
        assert len(evaluations_in(read_stats(folder))) == 1


@pytest.mark.parametrize(
    ("kind", "damage", "sentence"),
    [
        ("state", break_text, "The state of build {name} cannot be read"),
        ("stats", break_text, "The stats of build {name} cannot be read"),
        ("inputs", break_bytes, "inputs_original.npz cannot be read"),
        ("outputs", break_bytes, "outputs_original.npz cannot be read"),
        ("onnx", break_bytes, ""),
        ("samples", put_folder, ""),
    ],
)
def test_measuring_again_fails_for_the_damaged_build_alone(pristine, kind, damage, sentence):
    with copy_of(pristine) as cache:
        state = read_state(BuildFolder(cache.path, cache.victim))
        file = cache.file(kind)
        damage(cache.path / cache.victim / state.artifacts["onnx"] if kind == "onnx" else file)
        words = ["--all", "--runtime", "ort", "--skip", "none", "--iterations", "3"]
        status, out, err = turnkey("cache", "benchmark", *words, "-d", cache.path)
        assert status == (0 if kind in ("stats", "samples") else 1)
        assert sentence.format(name=cache.victim) in " ".join((out + err).split())
        assert "Traceback" not in out + err
        before, after = (
            evaluations_in(read_stats(BuildFolder(c.path, cache.other)))[0]["performance"]
            for c in (pristine, cache)
        )
        assert before["mean_latency"] != after["mean_latency"]
