"""A build is judged again wherever it is measured, by what it holds of its original."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from turnkeyml import build_model
from turnkeyml.cache import BuildFolder, BuildState, load_arrays, read_state, save_arrays
from turnkeyml.evaluate import measure_again
from turnkeyml.nouns import Cause, Evaluation, FlagKind, Plan, Verdict
from turnkeyml.verify import RECORDED_ONLY, is_intact, judge, load_reference

from .chaotic import Chaotic


class Cancelling(torch.nn.Module):
    """Takes two large sums from each other: what is left has few digits, in any implementation."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(100 * torch.randn(4096, 8))

    def forward(self, x):
        large = x @ self.weight - x.flip(1) @ self.weight.flip(0)
        return large + x[:, :8]


def build(cache: Path, model: torch.nn.Module, x: torch.Tensor, **settings: str) -> BuildState:
    return build_model(model, (x,), build_name="b", cache_dir=str(cache), monitor=False, **settings)


def remeasured(cache: Path) -> Evaluation:
    plan = Plan(str(cache), "x86", ("ort",), iterations=2)
    (evaluation,) = measure_again(BuildFolder(cache, "b"), plan, "none")
    assert evaluation.ok, evaluation.reason
    return evaluation


def moved(cache: Path, elsewhere: Path) -> Path:
    """The build alone, as it would arrive on another machine."""
    shutil.copytree(cache / "b", elsewhere / "b")
    shutil.rmtree(cache)
    return elsewhere


def onnx_file(cache: Path, name: str = "b") -> Path:
    folder = BuildFolder(cache, name)
    return folder.path / read_state(folder).artifacts["onnx"]


def change_weights(cache: Path, change, name: str = "b") -> None:
    """Change an ONNX file behind our back, without changing its size."""
    path = onnx_file(cache, name)
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        tensor.CopyFrom(onnx.numpy_helper.from_array(change(array), tensor.name))
    onnx.save(model, path)


def test_a_build_that_was_moved_is_judged_where_it_is_measured(tmp_path):
    torch.manual_seed(0)
    build(tmp_path / "here", torch.nn.Linear(8, 4), torch.rand(2, 8))
    found = remeasured(moved(tmp_path / "here", tmp_path / "there"))
    assert (found.verdict, found.verification.cause) == (Verdict.MATCH, Cause.WITHIN_TOLERANCE)
    assert found.verification.max_absolute_error is not None


@pytest.mark.parametrize("change", [np.negative, lambda a: np.roll(a, 1), lambda a: a * 1.01])
def test_a_file_that_was_changed_is_judged_by_what_it_computes(tmp_path, change):
    torch.manual_seed(0)
    build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    change_weights(tmp_path, change)
    assert remeasured(tmp_path).verdict is not Verdict.MATCH


def test_a_file_of_another_size_is_judged_too(tmp_path):
    torch.manual_seed(0)
    build(tmp_path, torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), torch.rand(2, 8))
    path = onnx_file(tmp_path)
    model = onnx.load(path)
    next(node for node in model.graph.node if node.op_type == "Relu").op_type = "LeakyRelu"
    onnx.save(model, path)
    assert remeasured(tmp_path).verdict is not Verdict.MATCH


def test_a_file_that_is_missing_is_not_measured(tmp_path):
    build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    onnx_file(tmp_path).unlink()
    plan = Plan(str(tmp_path), "x86", ("ort",), iterations=2)
    (evaluation,) = measure_again(BuildFolder(tmp_path, "b"), plan, "none")
    assert evaluation.reason == "its files were removed or changed; run its script again"


@torch.jit.script
def scaled_if_large(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """A branch that a trace keeps, and that matters little."""
    y = x @ weight
    if bool(x.abs().max() > 50):
        y = y * 1.05
    return y


class ScaledIfLarge(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        return scaled_if_large(x, self.layer.weight)


def test_where_the_original_takes_another_course_is_kept(tmp_path):
    torch.manual_seed(0)
    build(tmp_path, ScaledIfLarge(), torch.randn(4, 8))
    assert remeasured(tmp_path).verdict is Verdict.MATCH
    path = onnx_file(tmp_path)
    model = onnx.load(path)
    for branch in (a.g for node in model.graph.node for a in node.attribute):
        for factor in branch.initializer:
            factor.CopyFrom(onnx.numpy_helper.from_array(np.float32(1.0), factor.name))
    onnx.save(model, path)
    assert remeasured(tmp_path).verdict is not Verdict.MATCH


def test_other_precisions_of_the_original_are_kept_where_they_decided(tmp_path):
    torch.manual_seed(0)
    state = build(tmp_path / "here", Cancelling(), torch.randn(16, 4096))
    assert state.verification.cause is Cause.AS_EXACT_AS_ORIGINAL
    assert "fp64" in state.reference.others
    assert load_arrays(BuildFolder(tmp_path / "here", "b").outputs_in("fp64"))
    found = remeasured(moved(tmp_path / "here", tmp_path / "there"))
    assert (found.verdict, found.verification.cause) == (Verdict.MATCH, Cause.AS_EXACT_AS_ORIGINAL)


def test_small_models_keep_what_a_later_measurement_is_judged_by(tmp_path):
    """The original in fp64, and where larger roundings take it."""
    torch.manual_seed(0)
    state = build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    kept = ("fp64", "fp32_reach")
    assert (state.reference.others, state.reference.verified) == (kept, False)
    assert state.reference.held_out_others == (kept,) * state.reference.held_out


@pytest.mark.parametrize(("most", "others"), [(1, ()), (1e6, ("fp64", "fp32_reach"))])
def test_large_models_keep_nothing_that_no_verdict_needs(tmp_path, monkeypatch, most, others):
    """But those that are run quickly in fp64 keep that, however many weights they have."""
    from turnkeyml.frameworks.torch import reference

    monkeypatch.setattr(reference, "LARGE_BYTES", 10)
    monkeypatch.setattr(reference, "COSTLY_FLOPS", most)
    torch.manual_seed(0)
    state = build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    assert (state.reference.others, state.reference.verified) == (others, False)
    names = {"outputs_original.npz", *(f"outputs_original_{other}.npz" for other in others)}
    assert {p.name for p in (tmp_path / "b").glob("outputs_original*")} == names


def test_golden_outputs_that_were_changed_judge_nothing(tmp_path):
    """A file and what it is judged by may be changed together, and would match."""
    state = build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    folder = BuildFolder(tmp_path, "b")
    size = folder.outputs.stat().st_size
    save_arrays(folder.outputs, {name: -a for name, a in load_arrays(folder.outputs).items()})
    assert folder.outputs.stat().st_size == size
    (found,) = measure_again(folder, Plan(str(tmp_path), "x86", ("ort",), iterations=2), "none")
    assert not found.ok
    assert "outputs_original.npz cannot be read: it was changed" in found.reason
    assert not is_intact(folder, state.reference)
    again = build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    assert is_intact(folder, again.reference)


def test_a_change_within_the_looser_tolerance_is_no_match(tmp_path):
    """The inputs hardly matter to such a model: what is left of them is lost by the change."""

    class Insensitive(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 4)

        def forward(self, x):
            return torch.arange(1.0, 5.0) + 2e-4 * self.layer(x)

    torch.manual_seed(0)
    build(tmp_path, Insensitive(), torch.rand(2, 8))
    change_weights(tmp_path, lambda a: np.roll(a, 1) if a.shape == (4, 8) else a)
    assert remeasured(tmp_path).verdict is not Verdict.MATCH


def test_what_was_verified_subgraph_by_subgraph_is_recognized_elsewhere(tmp_path):
    torch.manual_seed(0)
    state = build(tmp_path / "here", Chaotic(), torch.rand(4, 64), sequence="optimize-fp16")
    assert state.verification.cause is Cause.IN_PARTS
    found = remeasured(moved(tmp_path / "here", tmp_path / "there"))
    assert (found.verdict, found.verification.cause) == (Verdict.IN_PARTS, Cause.IN_PARTS)
    change_weights(tmp_path / "there", lambda a: (a * 1.05).astype(a.dtype))
    assert not remeasured(tmp_path / "there").verdict.trusted


def test_what_was_verified_in_parts_is_compared_on_other_inputs_too(tmp_path):
    torch.manual_seed(0)
    state = build(tmp_path, Chaotic(), torch.rand(4, 64), sequence="optimize-fp16")
    found = remeasured(tmp_path).verification
    assert (found.verdict, found.held_out) == (Verdict.IN_PARTS, 4)
    assert RECORDED_ONLY not in found.reason
    reference = load_reference(BuildFolder(tmp_path, "b"), state.reference)
    frozen = judge(lambda _: reference.verified, reference, "fp16")  # whatever it is given
    assert (frozen.verdict, frozen.cause) == (Verdict.MISMATCH, Cause.HELD_OUT)


class Wide(torch.nn.Module):
    """Nearly all of its work is beyond the range of float16."""

    def __init__(self):
        super().__init__()
        self.large, self.small = torch.nn.Linear(256, 256), torch.nn.Linear(16, 8)

    def forward(self, x):
        return self.small(self.large(x * 3e5)[:, :16] / 1e5)


def test_a_conversion_that_keeps_nearly_all_in_fp32_is_judged_as_it_was_built(tmp_path):
    torch.manual_seed(0)
    state = build(tmp_path, Wide(), torch.randn(4, 256), sequence="optimize-fp16")
    assert state.verification.verdict is Verdict.MATCH
    assert (state.facts["precision"], state.facts["judged_in"]) == ("mixed", "fp16")
    found = remeasured(tmp_path)
    assert (found.verdict, found.precision) == (Verdict.MATCH, "mixed")


class Sharper(torch.nn.Module):
    """Exact to many digits on positive inputs, to one or two on others."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(4096, 8))

    def forward(self, x):
        y = x @ self.weight
        if_negative = (x < 0).any(1, keepdim=True) * 3e2
        return y + if_negative * (x @ self.weight - x.flip(1) @ self.weight.flip(0))


def test_other_precisions_are_kept_of_held_out_inputs_too(tmp_path):
    torch.manual_seed(0)
    state = build(tmp_path / "here", Sharper(), torch.rand(16, 4096))
    assert state.verification.verdict is Verdict.MATCH
    assert any("fp64" in kept for kept in state.reference.held_out_others)
    found = remeasured(moved(tmp_path / "here", tmp_path / "there"))
    assert found.verdict is Verdict.MATCH
    assert found.verification.held_out == state.verification.held_out


def test_without_the_original_nothing_is_claimed(tmp_path):
    torch.manual_seed(0)
    build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    state = tmp_path / "b" / "b_state.yaml"
    text = state.read_text()
    state.write_text(text[: text.index("reference:")] + "failure: null\n")
    found = remeasured(tmp_path)
    assert (found.verdict, found.verification.cause) == (Verdict.NOT_CHECKED, Cause.NO_REFERENCE)


def test_a_file_that_is_not_the_one_that_was_built_is_named(tmp_path):
    torch.manual_seed(0)
    build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    assert FlagKind.ARTIFACT not in {flag.kind for flag in remeasured(tmp_path).performance.flags}
    change_weights(tmp_path, lambda a: np.nextafter(a, 1, dtype=a.dtype))
    found = remeasured(tmp_path)
    assert FlagKind.ARTIFACT in {flag.kind for flag in found.performance.flags}
    assert found.verdict is Verdict.MATCH


SCRIPT = """
import torch
torch.manual_seed(0)
torch.nn.Linear(8, 4)(torch.rand(2, 8))
"""


@pytest.mark.slow
@pytest.mark.parametrize("words", [["{script}"], ["race", "{script}"], ["cache", "benchmark"]])
def test_a_file_that_is_not_the_one_that_was_built_is_named_before_it_is_measured(tmp_path, words):
    """Through a pipe, and also if progress is not shown."""
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    script.write_text(SCRIPT)
    first = turnkey("script.py", "--iterations", "2", "-d", str(cache), cwd=tmp_path)
    assert "is not the file that was built" not in first.stdout + first.stderr
    (state,) = cache.glob("*/*_state.yaml")
    change_weights(cache, np.negative, name=state.parent.name)
    chosen = [word.format(script="script.py") for word in words]
    if words[0] == "cache":
        chosen.append(state.parent.name)
    if words[0] == "race":
        chosen += ["--runtime", "ort", "torch-eager"]
    done = turnkey(*chosen, "--iterations", "2", "-d", str(cache), cwd=tmp_path)
    (warning,) = [line for line in done.stderr.splitlines() if "is not the file" in line]
    assert warning.startswith("Warning: ")
    assert "mismatch" in done.stdout


def turnkey(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TURNKEY_BUILD_MONITOR": "False"}
    command = [sys.executable, "-m", "turnkeyml", *words]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


def test_the_warning_comes_before_the_measurement(tmp_path, monkeypatch):
    torch.manual_seed(0)
    build(tmp_path, torch.nn.Linear(8, 4), torch.rand(2, 8))
    change_weights(tmp_path, np.negative)
    heard: list[str] = []

    def measured(*_: object, **__: object) -> None:
        raise RuntimeError(f"{len(heard)} warnings before")

    monkeypatch.setattr("turnkeyml.evaluate.measuring.measure", measured)
    plan = Plan(str(tmp_path), "x86", ("ort",), iterations=2)
    with pytest.raises(RuntimeError, match="1 warnings before"):
        measure_again(BuildFolder(tmp_path, "b"), plan, "none", heard.append)
