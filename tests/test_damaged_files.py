"""What a hostile or damaged file can do, one way at a time: nothing but a sentence."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from dataclasses import replace as replace_field
from pathlib import Path

import numpy as np
import onnx
import pytest

from turnkeyml import load_state
from turnkeyml.build import data_files
from turnkeyml.cache import (
    BuildFolder,
    DamagedFile,
    add_evaluation,
    build_folders,
    damages,
    load_arrays,
    load_yaml,
    parse,
    read_history,
    read_stats,
    reinstate_evaluations,
    replacing,
    retire_evaluations,
    save_arrays,
    to_yaml,
    update_stats,
)
from turnkeyml.errors import BuildError, MeasureError
from turnkeyml.launch import Follower
from turnkeyml.measure import failed, load_distances, load_samples
from turnkeyml.nouns import Input, Plan, Task, events
from turnkeyml.runtimes import find_device, find_runtime

from .fuzzing import CORPUS, Silent
from .test_cache import build


def names_in(cache):
    return [folder.name for folder in build_folders(cache)]


def claim(name):
    """What the stats or the state of a build of that name say of it."""
    return to_yaml({"build_name": name, "turnkey_version": "0", "hash": "1", "model_hash": "2"})


@pytest.mark.parametrize(
    "files",
    [
        {"x_state.yaml": "mine: 1"},
        {"folder_state.yaml": "mine: 1"},
        {"folder_state.yaml": ""},
        {"x_state.yaml": claim("x")},
        {"turnkey_stats.yaml": claim("another")},
        {"turnkey_stats.yaml": "a: 1", "photo.jpg": "dear"},
        {"stats.yaml": claim("folder"), "folder.yaml": claim("folder")},
    ],
)
def test_a_foreign_folder_is_no_build_whatever_its_files_are_called(cache, files):
    (cache / "folder").mkdir(parents=True)
    for name, text in files.items():
        (cache / "folder" / name).write_text(text)
    assert names_in(cache) == []


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        ("b", {"turnkey_stats.yaml": claim("b")}),
        ("b", {"b_state.yaml": claim("b")}),
        ("renamed", {"b_state.yaml": claim("b"), "turnkey_stats.yaml": claim("b")}),
        ("renamed", {"b_state.yaml": "", "turnkey_stats.yaml": "{"}),
        ("net_24adc42f", {"turnkey_stats.yaml": ""}),
        ("renamed", {"turnkey_stats.yaml": claim("b"), "x86_benchmark/ort/log.txt": ""}),
    ],
)
def test_a_build_is_one_although_it_is_old_renamed_or_damaged(cache, folder, files):
    for name, text in files.items():
        (cache / folder / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / folder / name).write_text(text)
    assert names_in(cache) == [folder]


def test_what_links_out_of_the_cache_are_for_is_neither_read_nor_removed(cache, tmp_path):
    build(cache)
    outside = tmp_path / "outside"
    shutil.copytree(cache / "b", outside / "b")
    (cache / "link").symlink_to(outside / "b")
    (cache / "half").mkdir()
    for name in ("turnkey_stats.yaml", "b_state.yaml"):
        (cache / "half" / name).symlink_to(outside / "b" / name)
    assert names_in(cache) == ["b"]
    before = sorted(outside.rglob("*"))
    folder = BuildFolder(cache, "b")
    (cache / "b" / "onnx" / "more").symlink_to(outside)
    (cache / "b" / "log.txt").symlink_to(outside / "nothing")
    folder.remove_artifacts()
    folder.delete()
    assert sorted(outside.rglob("*")) == before


def test_a_rebuild_does_not_write_to_where_a_link_leads(cache, tmp_path):
    build(cache)
    shutil.move(cache / "b" / "onnx", tmp_path / "elsewhere")
    (cache / "b" / "onnx").symlink_to(tmp_path / "elsewhere")
    before = sorted(p.stat().st_mtime_ns for p in (tmp_path / "elsewhere").iterdir())
    build(cache, seed=1)
    assert not (cache / "b" / "onnx").is_symlink()
    assert sorted(p.stat().st_mtime_ns for p in (tmp_path / "elsewhere").iterdir()) == before


def test_stats_that_cannot_be_read_are_set_aside_and_not_overwritten(cache):
    folder = BuildFolder(cache, "b_12345678")
    update_stats(folder, model_name="first")
    for number, text in enumerate(["{ half", "also: *half"], start=1):
        folder.stats.write_text(text)
        (sentence,) = damages(folder)
        assert sentence.startswith("The stats of build b_12345678 cannot be read: ")
        told = update_stats(folder, model_name="new")
        aside = "turnkey_stats.damaged.yaml" if number == 1 else "turnkey_stats.damaged-2.yaml"
        assert aside in told
        assert (folder.path / aside).read_text() == text
        assert read_stats(folder) == {"model_name": "new"}
    assert update_stats(folder, hash="1") is None


def test_an_evaluation_that_cannot_be_read_is_named_and_kept(cache):
    folder = BuildFolder(cache, "b_12345678")
    update_stats(folder, build_name="b_12345678", evaluations=[{"device_type": 5}, "junk"])
    assert [s.partition(" cannot")[0] for s in damages(folder)] == [
        "An evaluation of build b_12345678"
    ] * 2
    add_evaluation(folder, failed(find_device("x86"), find_runtime("ort", "x86"), "a reason"))
    first, second, new = read_stats(folder)["evaluations"]
    assert (first, second) == ({"device_type": 5}, "junk")
    assert new["reason"] == "a reason"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("artifacts", {"onnx": "../../outside.onnx"}),
        ("artifacts", {"onnx": "/etc/passwd"}),
        ("files", {"../x": 1}),
        ("facts", {"sha256": "no mapping"}),
        ("facts", {"precision": ["fp32"]}),
        ("config", {"sequence": 5}),
        ("config", {"sequence": [5]}),
    ],
)
def test_a_state_that_somebody_changed_is_damaged(cache, key, value):
    build(cache)
    path = cache / "b" / "b_state.yaml"
    path.write_text(to_yaml({**load_yaml(path), key: value}))
    (sentence,) = damages(BuildFolder(cache, "b"))
    assert sentence.startswith("The state of build b cannot be read: ")
    with pytest.raises(DamagedFile, match="cannot be read"):
        load_state("b", cache)


def test_yaml_with_aliases_is_refused_before_they_are_expanded(tmp_path):
    path = tmp_path / "bomb.yaml"
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    path.write_text("\n".join(lines))
    with pytest.raises(DamagedFile, match=r"aliases, which we never write \(line 2\)"):
        load_yaml(path)


@pytest.mark.parametrize("text", ["[" * 50_000, "- " * 50_000, '{"a": ' * 50_000])
def test_deeply_nested_yaml_is_refused_by_a_process_that_lives_on(tmp_path, text):
    path = tmp_path / "deep.yaml"
    path.write_text(text)
    with pytest.raises(DamagedFile, match="nested too deeply"):
        load_yaml(path)


def test_what_yaml_is_written_is_read_again():
    words = ["", "null", "~", "yes", "true", "1", "1.5", "0x1", "1:2", "2024-01-01", "<<", "="]
    numbers = [0, -1, 2**63, 1.5, 1e17, -1e-9, 1e300, float("inf"), float("-inf")]
    others = [None, True, False, "a\nb", " x ", "#", "é", "\x1b[0m", "\u2028", "'", '"', "- a"]
    data = {"1": words, "": numbers, "a b: c": [[], {}, [{"x": others}]], "k" * 200: "v" * 999}
    assert parse(to_yaml(data)) == data
    assert parse(to_yaml({"file": "half \udc80"})) == {"file": "half \\udc80"}


def test_files_have_the_mode_that_the_umask_leaves_which_nobody_changes(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", None)
        with replacing(tmp_path / "file") as temporary:
            assert temporary.stat().st_mode & 0o777 == 0o640
            temporary.write_text("x")
        assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640
    finally:
        monkeypatch.undo()
        os.umask(before)


def test_arrays_are_not_unpacked_beyond_the_size_of_their_file(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", b"\0" * 50_000_000)
    with pytest.raises(MeasureError, match="unpacks to more bytes than allowed"):
        load_arrays(path)


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", "less data"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "less data"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "Python objects"),
        ("{'descr': " + "(" * 500, "cannot be read"),
    ],
)
def test_an_array_is_not_what_its_header_claims(tmp_path, header, why):
    path = tmp_path / "x.npz"
    text = header.encode().ljust(1000) + b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        magic = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little")
        archive.writestr("x.npy", magic + text + b"\0" * 64)
    with pytest.raises(MeasureError, match=why) as raised:
        load_arrays(path)
    assert len(str(raised.value).splitlines()) == 1


def test_the_name_of_an_array_may_look_like_a_path(tmp_path):
    arrays = {"../up/input:0": np.ones(3), "a/b": np.zeros((0, 2)), "scalar": np.array(1)}
    save_arrays(tmp_path / "x.npz", arrays)
    found = load_arrays(tmp_path / "x.npz")
    assert list(found) == list(arrays)
    assert [a.shape for a in found.values()] == [(3,), (0, 2), ()]
    assert [p.name for p in tmp_path.iterdir()] == ["x.npz"]


@pytest.mark.parametrize(
    "changes",
    [
        {"processes": [2, 5]},
        {"processes": [-1, 4]},
        {"processes": [0, 3]},
        {"blocks": [1]},
        {"blocks": [0, 1]},
        {"timed": [[1, 2, 3]]},
        {"timed": [1.0, 2.0, 3.0]},
        {"timed": ["a", "b", "c"]},
        {"timed": [-1, 2, 3]},
        {"timed": None},
        {"timed": [], "processes": [], "blocks": []},
    ],
)
def test_samples_that_cannot_be_samples_are_damaged(tmp_path, changes):
    path = tmp_path / "samples.npz"
    whole = {"timed": [1, 2, 3], "processes": [1, 2], "blocks": [1, 1]}
    np.savez_compressed(path, **{k: np.array(v) for k, v in whole.items()})
    assert [len(part) for part in load_samples(path)] == [1, 2]
    changed = {k: np.array(v) for k, v in {**whole, **changes}.items() if v is not None}
    np.savez_compressed(path, **changed)
    with pytest.raises(ValueError, match=r"it has|its arrays"):
        load_samples(path)


STARTED, FINISHED = events.ScriptStarted(), events.InputFinished("why")


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"5",
        b"[]",
        b"{}",
        b'{"event": "Unheard"}',
        b'{"event": ["InputFinished"]}',
        b'{"event": "InputFinished", "failure": 5}',
        b'{"event": "StageStarted"}',
        b'{"event": "MeasureEstimated", "invocation": "", "seconds": 1' + b"0" * 400 + b"}",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_line_that_is_no_event_is_left_out_and_told(tmp_path, line):
    path = tmp_path / "events.jsonl"
    sink, reader = events.Sink(str(path)), events.Reader(str(path))
    sink.send(STARTED)
    with path.open("ab") as file:
        file.write(line + b"\n")
    sink.send(FINISHED)
    assert reader.read() == [STARTED, FINISHED]
    (sentence,) = reader.damaged
    assert len(sentence.splitlines()) == 1
    assert reader.read() == []


def test_a_line_without_an_end_is_not_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "LONGEST_LINE", 1000)
    monkeypatch.setattr(events, "PART", 300)
    path = tmp_path / "events.jsonl"
    sink, reader = events.Sink(str(path)), events.Reader(str(path))
    sink.send(STARTED)
    with path.open("ab") as file:
        file.write(b"x" * 5000)
    assert reader.read() == [STARTED]
    assert len(reader._rest) <= 1000
    with path.open("ab") as file:
        file.write(b"x" * 5000 + b"\n")
    sink.send(FINISHED)
    assert reader.read() == [FINISHED]
    assert reader.damaged == ["Some events of this input cannot be read: a line is too long."]


def test_very_many_damaged_lines_are_told_a_few_times(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f"{'[' * n}\n" for n in range(1, 100)))
    reader = events.Reader(str(path))
    assert reader.read() == []
    assert len(reader.damaged) == events.MOST_COMPLAINTS


def test_an_event_is_written_whole_even_if_the_system_writes_a_part(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:7]))
    path = tmp_path / "events.jsonl"
    events.Sink(str(path)).send(FINISHED)
    assert json.loads(path.read_text()) == {"event": "InputFinished", "failure": "why"}


@pytest.fixture
def model(tmp_path):
    """Writes a model whose weights are said to lie in a file of some name."""

    def make(location):
        weight = onnx.numpy_helper.from_array(np.ones(4, np.float32), "w")
        weight.ClearField("raw_data")
        weight.data_location = onnx.TensorProto.EXTERNAL
        if location is not None:
            weight.external_data.add(key="location", value=location)
        value = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [4])
        node = onnx.helper.make_node("Identity", ["w"], ["y"])
        graph = onnx.helper.make_graph([node], "g", [], [value], [weight])
        path = tmp_path / "models" / "model.onnx"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(onnx.helper.make_model(graph).SerializeToString())
        return path

    return make


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "link", "links/secret", "a/../../b"])
def test_external_data_may_not_lie_outside_of_the_folder_of_its_model(model, tmp_path, name):
    path = model(name)
    (tmp_path / "secret").write_bytes(b"x" * 16)
    (path.parent / "link").symlink_to(tmp_path / "secret")
    (path.parent / "links").symlink_to(tmp_path)
    with pytest.raises(
        BuildError, match=r"model\.onnx refers to external data outside of its folder"
    ):
        data_files(path)


@pytest.mark.parametrize("name", [None, "", ".", "folder", "pipe", "loop", "a\0b", "x" * 5000])
def test_external_data_is_a_file(model, name):
    path = model(name)
    (path.parent / "folder").mkdir()
    os.mkfifo(path.parent / "pipe")
    (path.parent / "loop").symlink_to("loop")
    with pytest.raises(
        BuildError, match=r"External data file not found: model\.onnx needs .* beside it"
    ):
        data_files(path)


def test_external_data_may_be_a_link_inside_of_the_folder(model):
    path = model("link")
    (path.parent / "real").mkdir()
    (path.parent / "real" / "data").write_bytes(b"x" * 16)
    (path.parent / "link").symlink_to("real/data")
    assert data_files(path) == [path.parent / "link"]


@pytest.mark.parametrize(
    "rounds",
    [[2**60], [-3], [1, 2, 3], [2], np.array([3], "M8[s]"), np.array([[3]]), np.array([3.0])],
)
def test_distances_that_do_not_fit_the_samples_are_not_known(tmp_path, rounds):
    path = tmp_path / "samples.npz"
    whole = {"timed": [1, 2, 3], "processes": [3], "blocks": [1], "distances": [1.0]}
    np.savez(path, **{k: np.array(v) for k, v in whole.items()}, rounds=np.array(rounds))
    (found,) = load_distances(path)
    assert np.isnan(found).tolist() == [True] * 3
    np.savez(path, **{k: np.array(v) for k, v in whole.items()}, rounds=np.array([3]))
    assert load_distances(path)[0].tolist() == [1.0] * 3


def test_stats_that_the_disk_does_not_give_now_are_neither_replaced_nor_set_aside(
    cache, monkeypatch
):
    folder = BuildFolder(cache, "b_12345678")
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    add_evaluation(folder, failed(device, runtime, "first"))
    add_evaluation(folder, failed(device, runtime, "second"))
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    whole = os.open
    for name in (folder.stats.name, folder.history.name):

        def fail(path, *rest, name=name, **more):
            if os.path.basename(path) == name:
                raise OSError(errno.EMFILE, "Too many open files", path)
            return whole(path, *rest, **more)

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", fail)
            with pytest.raises(DamagedFile, match="Too many open files"):
                add_evaluation(folder, failed(device, runtime, "third"))
        assert {path.name: path.read_bytes() for path in folder.path.iterdir()} == before
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EIO, "E")))
        with pytest.raises(DamagedFile):
            update_stats(folder, model_name="new")
        with pytest.raises(DamagedFile):
            retire_evaluations(folder)
    add_evaluation(folder, failed(device, runtime, "third"))
    assert [e["reason"] for e in read_stats(folder)["evaluations"]] == ["third"]
    assert [e["reason"] for e in read_history(folder)] == ["first", "second"]


def test_an_evaluation_is_in_the_stats_or_the_history_at_every_moment(cache, monkeypatch):
    folder = BuildFolder(cache, "b_12345678")
    device, runtime = find_device("x86"), find_runtime("ort", "x86")
    replace = Path.replace
    moments = []

    def replace_and_look(self, target):
        replace(self, target)
        rows = [*read_stats(folder).get("evaluations", ()), *read_history(folder)]
        moments.append({row["reason"] for row in rows})

    monkeypatch.setattr(Path, "replace", replace_and_look)
    first = replace_field(failed(device, runtime, "first"), artifact_sha256="1" * 64)
    add_evaluation(folder, first)
    retired = retire_evaluations(folder)
    reinstate_evaluations(folder, retired, ["1" * 64])
    add_evaluation(folder, failed(device, runtime, "second"))
    assert len(moments) >= 7
    assert all("first" in moment for moment in moments)
    assert [row["reason"] for row in read_history(folder)] == ["first"]


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "", "../../.."])
def test_the_name_of_a_build_in_an_event_may_be_none(tmp_path, name):
    (event,) = [
        e
        for e in events.Reader(str(CORPUS / "events" / "script.jsonl")).read()
        if isinstance(e, events.InvocationFound)
    ]
    record = replace_field(event.invocation, build_name=name)
    task = Task(Input("net.py"), Plan(cache_dir=str(tmp_path)))
    events.Sink(str(tmp_path / "1.jsonl")).send(events.InvocationFound(record))
    follower = Follower(task, tmp_path / "1.jsonl", Silent())
    follower.read()
    (row,) = follower.result("it was killed").invocations
    assert row.failure == "it was killed"
