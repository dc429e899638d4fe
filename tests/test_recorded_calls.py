"""Which of a script's calls are measured, and what the script made them under.

The scripts are analyzed in one run of the program; each test looks at one of them.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

from turnkeyml import benchmark_files, structure
from turnkeyml.cache import load_arrays

from .conftest import SMALL_MODEL

TWO = """
class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(4, 4), torch.nn.Linear(4, 2)
    def forward(self, x, mask=None):
        return self.last(self.first(x) if mask is None else self.first(x) * mask)
    def encode(self, x):
        return self.first(x)
    def own(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.first(x)
    @torch.autocast("cpu", dtype=torch.bfloat16)
    def decorated(self, x):
        return self.first(x)
model = Two()
"""

SCRIPTS = {
    "zeros_first": """
        model(torch.zeros(2, 4)); model(torch.zeros(2, 4)); model(torch.rand(2, 4))
        model(torch.rand(2, 4))
        """,
    "always_zeros": "model(torch.zeros(2, 4)); model(torch.zeros(2, 4))",
    "zeros_then_ones": "model(torch.zeros(2, 4)); model(torch.ones(2, 4))",
    "data_first": "model(torch.rand(2, 4)); model(torch.zeros(2, 4)); model(torch.rand(2, 4))",
    "data_and_a_mask_of_ones": """
        model(torch.rand(2, 4), torch.ones(2, 1)); model(torch.rand(2, 4), torch.ones(2, 1))
        """,
    "a_constant_number": """
        class Scaled(torch.nn.Module):
            def __init__(self): super().__init__(); self.fc = torch.nn.Linear(4, 2)
            def forward(self, sizes): return self.fc(torch.arange(4.0) * sizes["n"])
        model = Scaled()
        model({"n": torch.tensor(3)}); model({"n": torch.tensor(4)})
        """,
    "an_int_beside_zeros": """
        class Counted(torch.nn.Module):
            def __init__(self): super().__init__(); self.fc = torch.nn.Linear(4, 2)
            def forward(self, x, step): return self.fc(x) + step
        model = Counted()
        model(torch.zeros(2, 4), step=7); model(torch.rand(2, 4), step=8)
        """,
    "a_method": "model.encode(torch.zeros(2, 4)); model.encode(torch.rand(2, 4))",
    "an_estimator": """
        import numpy as np
        from sklearn.linear_model import LinearRegression
        table = np.random.default_rng(0).random((20, 4))
        line = LinearRegression().fit(table, table.sum(axis=1))
        line.predict(np.zeros((2, 4))); line.predict(table[:2])
        """,
    "plain": "model(torch.rand(2, 4))",
    "autocast": """
        with torch.autocast("cpu", dtype=torch.bfloat16):
            model(torch.rand(2, 4))
        model(torch.rand(2, 4))
        """,
    "autocast_disabled": """
        with torch.autocast("cpu", enabled=False):
            model(torch.rand(2, 4))
        """,
    "autocast_of_a_method": """
        with torch.autocast("cpu", dtype=torch.bfloat16):
            model.encode(torch.rand(2, 4))
        """,
    "autocast_inside": "model.own(torch.rand(2, 4))",
    "autocast_as_decorator": "model.decorated(torch.rand(2, 4))",
}


def write(folder: Path, name: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(f"{SMALL_MODEL}\n{TWO}\n{textwrap.dedent(SCRIPTS[name])}")
    return str(path)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    files = [write(folder, name) for name in SCRIPTS]
    found = benchmark_files(files, cache_dir=str(folder / "cache"), analyze_only=True, max_depth=1)
    return {Path(result.input.path).stem: result for result in found}


@pytest.fixture
def invocations(results, request):
    """The invocations of the script that a test is named after."""
    result = results[request.param]
    assert result.script.ok, result.script
    return [row.invocation for row in result.invocations]


def of(name):
    return pytest.mark.parametrize("invocations", [name], indirect=True)


@of("zeros_first")
def test_a_call_with_data_is_recorded_instead_of_one_with_zeros(invocations):
    model, first, last = invocations
    assert model.recorded_call == first.recorded_call == last.recorded_call == 3
    remark = "The first call had constant inputs (zeros); those of call 3 are measured."
    assert model.remarks == first.remarks == (remark,)
    assert last.remarks == (
        "The first call of its model had constant inputs; those of call 3 are measured.",
    )


@pytest.mark.parametrize(
    "invocations",
    ["always_zeros", "zeros_then_ones", "data_first", "data_and_a_mask_of_ones", "plain"],
    indirect=True,
)
def test_otherwise_the_first_call_is_recorded(invocations):
    assert all(i.recorded_call == 1 and not i.remarks for i in invocations)


@of("a_constant_number")
def test_a_single_number_is_no_constant_input(invocations):
    assert invocations[0].recorded_call == 1


@of("an_int_beside_zeros")
def test_all_arguments_are_those_of_the_same_call(invocations):
    assert invocations[0].recorded_call == 2
    assert invocations[0].arguments == {"step": "8"}


@of("a_method")
def test_methods_are_recorded_like_models(invocations):
    assert invocations[0].method == "encode"
    assert invocations[0].recorded_call == 2


@of("an_estimator")
def test_estimators_are_recorded_like_models(invocations):
    assert invocations[0].class_name == "LinearRegression"
    assert invocations[0].recorded_call == 2


def test_a_build_of_zeros_is_built_again_for_the_data(tmp_path):
    cache, script = tmp_path / "cache", tmp_path / "script.py"

    def build(*calls):
        texts = "\n".join(f"model({call})" for call in calls)
        script.write_text(f"{SMALL_MODEL}\ntorch.manual_seed(0)\n{TWO}\n{texts}")
        (result,) = benchmark_files(str(script), cache_dir=str(cache), build_only=True)
        (row,) = result.invocations
        return row, load_arrays(Path(row.build_dir) / "inputs_original.npz")

    row, inputs = build("torch.zeros(2, 4)")
    assert not any(np.any(array) for array in inputs.values())
    row, inputs = build("torch.zeros(2, 4)", "torch.rand(2, 4)")
    assert not row.reused
    assert all(np.ptp(array) > 0 for array in inputs.values())
    assert build("torch.zeros(2, 4)", "torch.rand(2, 4)")[0].reused


@pytest.mark.parametrize(
    ("tensors", "constant"),
    [
        ([torch.zeros(3)], True),
        ([torch.ones(3, requires_grad=True), np.full((2, 2), 7)], True),
        ([torch.zeros(3), torch.tensor([0, 1])], False),
        ([torch.tensor(1.0), torch.zeros(0), torch.zeros(1, 1)], False),
        ([torch.tensor([0.0, 1.0, 0.0])], False),
        ([object()], None),
        ([], False),
    ],
)
def test_constant_tensors_are_told(tensors, constant):
    assert structure.are_constant(tensors) is constant


@of("autocast")
def test_autocast_is_told(invocations):
    remark = (
        "It is called under torch.autocast (bfloat16 on cpu); it is built and measured without."
    )
    model, first, last, *_ = invocations
    assert model.remarks == first.remarks == last.remarks == (remark,)


@of("autocast_of_a_method")
def test_autocast_around_a_method_is_told(invocations):
    assert "under torch.autocast (bfloat16 on cpu)" in invocations[0].remarks[0]


@pytest.mark.parametrize("invocations", ["plain", "autocast_disabled"], indirect=True)
def test_without_autocast_there_is_no_remark(invocations):
    assert not any(i.remarks for i in invocations)


@pytest.mark.parametrize("invocations", ["autocast_inside", "autocast_as_decorator"], indirect=True)
def test_autocast_that_belongs_to_a_method_is_measured(invocations):
    assert invocations[0].method
    assert not invocations[0].remarks
