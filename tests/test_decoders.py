"""Decoders with a key-value cache: prefill and decode, one build for all lengths."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from tests.terminal import read_terminal
from turnkeyml.build import SharedBuild, build, find_sequence
from turnkeyml.cache import BuildFolder
from turnkeyml.frameworks import KEPT, Register
from turnkeyml.frameworks.torch import FRAMEWORK
from turnkeyml.measure import generations, mean_over
from turnkeyml.nouns import Evaluation, InvocationResult, Performance, Phase, Plan, events
from turnkeyml.structure import clone

DECODER = """
import torch
torch.manual_seed(0)

class Cache:
    def __init__(self):
        self.layers = []

    def update(self, layer, key, value):
        if layer == len(self.layers):
            self.layers.append([key, value])
        else:
            old = self.layers[layer]
            self.layers[layer] = [torch.cat([old[0], key], 2), torch.cat([old[1], value], 2)]
        return self.layers[layer]

class Decoder(torch.nn.Module):
    def __init__(self, size=32, heads=2, layers=2):
        super().__init__()
        self.heads = heads
        self.table = torch.nn.Embedding(100, size)
        self.mixers = torch.nn.ModuleList(torch.nn.Linear(size, 3 * size) for _ in range(layers))
        self.head = torch.nn.Linear(size, 100, bias=False)

    def forward(self, tokens, mask, cache=None):
        x = self.table(tokens)
        for number, mixer in enumerate(self.mixers):
            shape = (*x.shape[:2], self.heads, -1)
            query, key, value = (p.reshape(shape).transpose(1, 2) for p in mixer(x).chunk(3, -1))
            if cache is not None:
                key, value = cache.update(number, key, value)
            scores = query @ key.transpose(-1, -2) + (1 - mask[:, None, None].float()) * -100
            x = x + (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        return self.head(x), cache

def generate(model, prompt, steps, batch=2):
    cache, length = Cache(), prompt
    tokens = torch.randint(0, 100, (batch, prompt))
    with torch.no_grad():
        for _ in range(steps):
            mask = torch.ones(batch, length, dtype=torch.int64)
            scores, cache = model(tokens, mask, cache=cache)
            tokens, length = scores[:, -1:].argmax(-1), length + 1
"""

SCRIPT = (
    DECODER
    + """
model = Decoder().eval()
generate(model, prompt=6, steps=16)
"""
)


def decoder() -> dict[str, object]:
    names: dict[str, object] = {}
    exec(DECODER, names)
    return names


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    folder = tmp_path_factory.mktemp("decoder")
    (folder / "script.py").write_text(SCRIPT)
    words = ("script.py", "--iterations", "12", "--json", "--cache-dir", "cache")
    done = subprocess.run(
        [sys.executable, "-m", "turnkeyml", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=280,
    )
    done.folder = folder
    return done


@pytest.fixture(scope="module")
def result(run):
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["results"][0]


def test_prefill_and_three_decode_steps_are_measured(result):
    records = [row["invocation"] for row in result["invocations"]]
    assert [r["phase"] for r in records] == ["prefill", "decode", "decode", "decode"]
    assert records[0]["steps"] is None
    lengths = [r["steps"]["length"] for r in records[1:]]
    assert (lengths[0], lengths[-1]) == (6, 20)
    assert 10 <= lengths[1] <= 16
    for record in records[1:]:
        steps = record["steps"]
        assert (steps["count"], steps["executed"], steps["group"]) == (15, 15, records[1]["hash"])
        assert (steps["shortest"], steps["longest"], record["tokens"]) == (6, 20, 2)
    for row in result["invocations"]:
        (evaluation,) = row["evaluations"]
        assert evaluation["verification"]["verdict"] == "match"
        assert evaluation["verification"]["held_out"] > 0


def test_the_prefill_has_the_empty_cache_that_the_script_gave_it(run, result):
    build_dir = run.folder / result["invocations"][0]["build_dir"]
    outputs = np.load(build_dir / "outputs_original.npz")
    assert [array.shape for array in outputs.values()][1] == (2, 2, 6, 16)


def test_one_build_serves_all_lengths_and_is_stored_once(run, result):
    folders = [run.folder / row["build_dir"] for row in result["invocations"]]
    stored = [{p.stat().st_ino for p in (f / "onnx").glob("*-opt.onnx")} for f in folders]
    assert stored[1] == stored[2] == stored[3] != stored[0]
    stages = [[line for line in run.stderr.splitlines() if f.name[-8:] in line] for f in folders]
    assert any("export_pytorch" in line for line in stages[3])
    for lines in stages[1:3]:
        assert not any("export_pytorch" in line for line in lines)
        assert any("share_build took" in line for line in lines)
    inputs = np.load(folders[2] / "inputs_original.npz")
    (record,) = [r["invocation"] for r in result["invocations"][2:3]]
    assert inputs["cache_layers_0_0"].shape == (2, 2, record["steps"]["length"], 16)
    assert np.abs(inputs["cache_layers_0_0"]).sum() > 0


def test_a_pipe_is_told_which_invocation_is_worked_on(run, result):
    told = [line for line in run.stderr.splitlines() if " of 4)" in line]
    assert len(told) == 4
    assert told[0].endswith("model prefill (1 of 4)")
    assert told[1].endswith("model decode at cache length 20 (2 of 4)")


def test_the_time_of_tokens_follows_from_the_medians(result):
    (generation,) = result["generations"]
    prefill, *steps = [row["evaluations"][0] for row in result["invocations"]]
    medians = [e["performance"]["median_latency"] for e in steps]
    assert prefill["time_to_first_token"] == prefill["performance"]["median_latency"]
    assert [e["time_per_output_token"] for e in steps] == medians
    assert [e["tokens_per_second"] for e in steps] == pytest.approx([2000 / m for m in medians])
    assert generation["time_to_first_token"] == prefill["time_to_first_token"]
    assert generation["time_per_output_token"] == pytest.approx(
        mean_over(generation["cache_lengths"], medians)
    )
    assert generation["tokens_per_second"] == pytest.approx(
        2000 / generation["time_per_output_token"]
    )


def test_a_report_has_the_phase_the_length_and_the_times(run, result):
    from turnkeyml.cache import build_folders
    from turnkeyml.report import read_build

    builds = [read_build(f) for f in build_folders(run.folder / "cache")]
    assert not any(build.damage for build in builds)
    cells = [{**b.cells, **b.evaluations[0].cells} for b in builds]
    assert sorted(c["steps_length"] for c in cells if c["phase"] == "decode")[0] == 6
    assert all(c["tokens_per_second"] > 0 for c in cells if c["phase"] == "decode")
    assert all(c["time_to_first_token"] > 0 for c in cells if c["phase"] == "prefill")


def test_a_second_run_reuses_every_build_and_its_view_names_the_invocation(run, result):
    words = ("script.py", "--build-only", "--cache-dir", "cache")
    status, shown = read_terminal(
        [sys.executable, "-m", "turnkeyml", *words], str(run.folder), TERM="xterm", COLUMNS="120"
    )
    assert status == 0
    assert "model decode at cache length 20 (2 of 4)" in shown
    assert "the build is in the cache" in shown
    assert "share_build" not in shown
    assert "Decode steps at 15 cache lengths from 6 to 20 (executed 15x" in shown
    assert "(decode at cache length 6)" in shown


def recorded(prompt: int = 4, steps: int = 12, model: torch.nn.Module | None = None) -> Register:
    """The register after a decoder has generated in this process."""
    names = decoder()
    register = Register("script")
    model = model or names["Decoder"]().eval()
    with FRAMEWORK.watching(register, 0):
        names["generate"](model, prompt, steps)
    register.model = model
    return register


def test_few_steps_keep_their_inputs_however_many_there_are():
    register = recorded(steps=70)
    group = next(i.steps for i in register._invocations.values() if i.steps)
    assert len(group.members) == 69
    kept = [step for step in group.members if step.arguments is not None]
    assert len(kept) <= KEPT + 3
    first, middle, last = [group.length(step) for step in group.measured]
    assert (first, last) == (4, 72)
    assert abs(middle - 38) <= 9


def test_a_second_prompt_belongs_to_the_same_steps():
    names = decoder()
    register = Register("script")
    model = names["Decoder"]().eval()
    with FRAMEWORK.watching(register, 0):
        names["generate"](model, 8, 4)
        names["generate"](model, 3, 4)
    records = register.records()
    assert [r.phase for r in records].count(Phase.DECODE) == 3
    assert records[1].steps.shortest == 3
    assert records[1].steps.count == 6


@pytest.mark.parametrize(
    "calls",
    [
        "for n in range(1, 5): model(torch.rand(n, 4))",
        "for n in range(1, 5): model([torch.rand(n, 2, 4), torch.rand(n, 2, 4)])",
    ],
    ids=["batches", "nested batches"],
)
def test_growing_batches_are_no_decode_steps(calls):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 3)

        def forward(self, x):
            return self.fc(x if torch.is_tensor(x) else x[0] + x[1])

    register = Register("script")
    with FRAMEWORK.watching(register, 0):
        exec(calls, {"model": Model(), "torch": torch})
    records = register.records()
    assert len(records) == 4
    assert not any(r.phase or r.steps for r in records)


def sized_build(subject, cache: Path, shared: SharedBuild | None = None):
    folder = BuildFolder(cache, subject.record.build_name)
    sequence = find_sequence("optimize-fp32", subject.receiving_stage())
    plan = Plan(str(cache))
    return folder, build(subject, sequence, plan, folder, events.Sink(), shared=shared)


def test_a_sabotaged_file_does_not_serve_another_length(cache):
    """Its own record still says that it matches."""
    _, longest, _, shortest = recorded().subjects()
    folder, lead = sized_build(longest, cache)
    assert lead.state.facts["dynamic_length"]
    path = folder.path / lead.state.artifacts["onnx"]
    model = onnx.load(path)
    (weight,) = [w for w in model.graph.initializer if w.dims[:] == [100, 32]]
    table = onnx.numpy_helper.to_array(weight) * 1.02
    weight.CopyFrom(onnx.numpy_helper.from_array(table, weight.name))
    onnx.save(model, path)
    own_folder, own = sized_build(shortest, cache, SharedBuild.of(folder, lead.state))
    assert "does not serve this one" in own.remarks[0]
    assert own.state.verification.verdict == "match"
    assert "shared_from" not in own.state.facts
    assert (own_folder.path / own.state.artifacts["onnx"]).stat().st_nlink == 1


@pytest.mark.slow
def test_a_length_that_the_exporters_freeze_is_built_on_its_own(cache):
    """The model decides by the length of its cache, in Python."""
    names = decoder()

    class Deciding(names["Decoder"]):
        def forward(self, tokens, mask, cache=None):
            scores, cache = super().forward(tokens, mask, cache)
            return (scores * 2 if mask.shape[1] > 8 else scores), cache

    _, longest, _, shortest = recorded(model=Deciding().eval()).subjects()
    folder, lead = sized_build(longest, cache)
    assert lead.state.verification.verdict == "match"
    assert "dynamic_length" not in lead.state.facts
    assert "not at other lengths" in lead.state.facts["exporter_reason"]
    assert SharedBuild.of(folder, lead.state) is None
    _, own = sized_build(shortest, cache)
    assert own.state.verification.verdict == "match"


def test_an_empty_cache_is_copied_with_the_inputs():
    cache = decoder()["Cache"]()
    copy = clone({"cache": cache})["cache"]
    cache.update(0, torch.zeros(1), torch.zeros(1))
    assert copy.layers == []


def test_a_mean_between_lengths_is_interpolated():
    assert mean_over([10, 20, 40], [1.0, 2.0, 4.0]) == pytest.approx((15 + 60) / 30)
    assert mean_over([0], [3.0]) == 3.0


def evaluation(label: str, **figures) -> Evaluation:
    numbers = dict.fromkeys(
        ("mean_latency", "throughput", "median_latency", "latency_standard_deviation"), 2.0
    )
    performance = Performance(
        **numbers,
        iterations=1,
        p90_latency=None,
        min_latency=1.0,
        max_latency=1.0,
        warmup_iterations=0,
    )
    return Evaluation("x86", "CPU", label, performance=performance, **figures)


def test_a_runtime_that_failed_at_one_length_has_no_summary():
    records = recorded().records()
    good = [evaluation("ort", time_per_output_token=2.0, time_to_first_token=5.0)] * 4
    rows = [InvocationResult(r, evaluations=(e,)) for r, e in zip(records, good, strict=True)]
    assert [g.time_to_first_token for g in generations(rows)] == [5.0]
    rows[2] = replace(rows[2], evaluations=())
    assert generations(rows) == []
