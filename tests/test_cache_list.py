"""``cache list``: a table in a terminal, plain names through a pipe."""

from __future__ import annotations

import os
import sys

import pytest

from tests.fabricated import evaluation, fabricate
from tests.terminal import read_terminal
from turnkeyml.cache import BuildFolder, build_folders, summary_index

LIST = [sys.executable, "-m", "turnkeyml", "cache", "list", "-d"]


def in_terminal(cache, columns, *words):
    status, shown = read_terminal([*LIST, str(cache), *words], columns=columns)
    assert status == 0, shown
    header, *lines = shown.replace("\r", "").splitlines()
    lines = [line for line in lines if not line.startswith("Warning: ")]
    assert header == f"Info: Builds available in cache {cache}:"
    assert all(len(line) <= columns for line in lines)
    return lines


def words_of(line):
    return " ".join(line.split())


@pytest.fixture
def several(cache):
    fabricate(cache, "resnet_0000000a", evaluation(median=12.3, days=2), size=3_000_000)
    fabricate(
        cache,
        "bert_0000000b",
        evaluation(median=4.5, grade="C"),
        evaluation("torch-eager", median=None),
        model="BertModel",
    )
    fabricate(cache, "broken_0000000c", status="failed_build", model="")
    return cache


def test_a_wide_terminal_shows_everything_about_each_build(several):
    header, bert, eager, broken, resnet = in_terminal(several, 200)
    assert words_of(header) == "build model runtime (x86) latency (ms) grade verdict age size"
    assert words_of(bert).startswith("bert_0000000b BertModel ort fp32 4.500 ±1.0% C match ")
    assert eager.split()[:3] == ["torch-eager", "fp32", "failed"]
    assert "failed build" in broken
    assert resnet.split()[-2:] == ["2d", "3MB"]


def test_a_match_on_the_recorded_inputs_alone_is_marked(cache):
    checked = {"verdict": "match", "cause": "on the recorded inputs only", "reason": ""}
    fabricate(cache, "resnet_0000000a", evaluation(verification=checked))
    for columns in (200, 100):
        assert "A match (recorded inputs only) " in words_of(in_terminal(cache, columns)[1])


def test_a_narrow_terminal_loses_the_model_and_the_middle_of_long_names(several):
    fabricate(several, "a_very_long_name_of_a_script_89abcdef", evaluation("torch-compiled"))
    header, long, *_ = in_terminal(several, 80)
    assert words_of(header) == "build runtime (x86) latency (ms) grade verdict age size"
    assert long.startswith("a_very_l")
    assert "…_89abcdef torch-compiled " in long
    assert " match " in long


def test_a_pipe_gets_plain_names_and_nothing_is_written(several, turnkey):
    shown = turnkey("cache", "list").stdout.splitlines()
    assert shown[1:] == ["bert_0000000b", "broken_0000000c", "resnet_0000000a"]
    assert not (several / ".summaries.json").exists()


@pytest.mark.parametrize(
    ("order", "first"),
    [("latency", "bert"), ("grade", "resnet"), ("age", "b"), ("size", "resnet"), ("name", "bert")],
)
def test_sort_orders_the_table_and_the_names(several, turnkey, order, first):
    assert turnkey("cache", "list", "--sort", order).stdout.splitlines()[1].startswith(first)
    assert in_terminal(several, 80, "--sort", order)[1].startswith(first)


def test_an_unknown_order_is_one_sentence(several, turnkey):
    done = turnkey("cache", "list", "--sort", "colour")
    assert done.returncode == 2
    assert "Unknown order 'colour'; choose from: name, model" in done.stderr


def test_an_empty_cache_has_no_table(cache):
    assert in_terminal(cache, 80) == []


def test_damaged_stats_are_a_row(several):
    folder = fabricate(several, "damaged_0000000d")
    (folder / "turnkey_stats.yaml").write_text("a: [")
    (row,) = (line for line in in_terminal(several, 80) if line.startswith("damaged_0000000d"))
    assert "unreadable" in row


def test_only_changed_builds_are_read_again(several, monkeypatch):
    read = []

    def read_stats(folder, original=summary_index.read_stats):
        read.append(folder.name)
        return original(folder)

    monkeypatch.setattr(summary_index, "read_stats", read_stats)
    folders = build_folders(several)
    first = summary_index.summaries(folders, several)
    assert read == [f.name for f in folders]
    assert summary_index.summaries(folders, several) == first
    assert len(read) == 3
    BuildFolder(several, "resnet_0000000a").remove_artifacts()
    changed = summary_index.summaries(folders, several)
    assert read[3:] == ["resnet_0000000a"]
    assert changed[2].size < first[2].size


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"format": 1, "builds": [{"name": 3}]}'])
def test_a_damaged_file_of_summaries_is_made_again(several, content):
    expected = summary_index.summaries(build_folders(several), several)
    (several / ".summaries.json").write_text(content)
    assert summary_index.summaries(build_folders(several), several) == expected


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_is_read_only_is_listed(several):
    several.chmod(0o555)
    assert len(in_terminal(several, 80)) == 5


def test_a_file_that_builds_share_counts_once(cache):
    one, two = (fabricate(cache, f"b_0000000{n}", size=1000) for n in (1, 2))
    (two / "onnx" / "model.onnx").unlink()
    os.link(one / "onnx" / "model.onnx", two / "onnx" / "model.onnx")
    folders = build_folders(cache)
    each = [summary_index.disk_bytes([folder]) for folder in folders]
    assert summary_index.disk_bytes(folders) == sum(each) - 1000
