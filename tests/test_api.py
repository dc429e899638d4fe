"""The Python interface."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

import turnkeyml
from turnkeyml import MeasuredPerformance, benchmark_files, benchmark_model, build_model
from turnkeyml.errors import TurnkeyError, UsageError

from .conftest import EXAMPLES

HELLO = str(EXAMPLES / "scripts" / "hello_world.py")


class SmallModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.fc(x))


def test_importing_the_package_imports_nothing_heavy():
    check = "import sys, turnkeyml; print('torch' in sys.modules, 'numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert found.stdout.split() == ["False", "False"]


def test_every_public_name_exists():
    for name in turnkeyml.__all__:
        assert getattr(turnkeyml, name)


@pytest.mark.parametrize("runtime", ["ort", "torch-eager"])
def test_benchmark_model_measures_prints_and_returns(cache, capsys, runtime):
    performance = benchmark_model(
        SmallModel(), {"x": torch.rand(4)}, cache_dir=str(cache), iterations=20, runtime=runtime
    )
    assert isinstance(performance, MeasuredPerformance)
    assert performance.latency_units == "milliseconds (ms)"
    assert performance.throughput_units == "inferences per second (IPS)"
    assert performance.iterations == 20
    assert performance.min_latency <= performance.median_latency <= performance.max_latency
    assert 0 < performance.throughput <= 1000 / performance.mean_latency * 1.001
    assert performance.verification.verdict == "match"
    assert performance.runtime == runtime
    assert performance.threads >= 1
    printed = capsys.readouterr().out
    assert f"Performance of SmallModel on device {performance.device} is:" in printed
    assert f"latency: {performance.mean_latency:.3f} ms" in printed
    assert f"throughput: {performance.throughput:.1f} ips" in printed


def test_the_callers_model_is_left_as_it_was(cache):
    model = SmallModel().train()
    weights = {k: v.clone() for k, v in model.state_dict().items()}
    benchmark_model(model, (torch.rand(4),), cache_dir=str(cache), iterations=2)
    assert model.training
    assert model.drop.training
    assert all(torch.equal(weights[k], v) for k, v in model.state_dict().items())
    assert all(p.grad is None and p.requires_grad for p in model.parameters())


def test_benchmark_files_returns_its_results(cache):
    (result,) = benchmark_files(HELLO, cache_dir=str(cache), runtime=["ort"], iterations=5)
    assert result.ok
    (row,) = result.invocations
    assert row.invocation.hash == "24adc42f"
    (performance,) = result.performances
    assert performance.build_name == "hello_world_24adc42f"
    assert performance.mean_latency > 0


def test_build_only_builds_and_does_not_measure(cache):
    (result,) = benchmark_files([HELLO], cache_dir=str(cache), build_only=True)
    assert result.invocations[0].build_status == "successful_build"
    assert result.performances == []
    assert (
        benchmark_model(SmallModel(), [torch.rand(4)], cache_dir=str(cache), build_only=True)
        is None
    )


def test_build_model_names_its_build_after_the_script(cache, tmp_path):
    script = tmp_path / "my_model.py"
    script.write_text(
        "import torch\nfrom turnkeyml import build_model\n"
        f"build_model(torch.nn.Linear(2, 2), (torch.rand(2),), cache_dir={str(cache)!r})\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "my_model: successfully built" in done.stdout
    assert (cache / "my_model" / "my_model_state.yaml").exists()


def test_wrong_arguments_are_usage_errors(cache):
    with pytest.raises(UsageError, match=r"torch.nn.Module, not a str"):
        build_model("model", {"x": 1}, cache_dir=str(cache))
    with pytest.raises(UsageError, match="inputs are needed"):
        build_model(SmallModel(), cache_dir=str(cache))
    with pytest.raises(UsageError, match="No input files"):
        benchmark_files([])
    with pytest.raises(UsageError, match="Unknown runtime 'x'"):
        benchmark_model(SmallModel(), (torch.rand(4),), runtime="x")


def test_a_model_that_does_not_run_is_a_clear_error(cache):
    with pytest.raises(TurnkeyError, match="does not run again on its recorded inputs"):
        build_model(SmallModel(), (torch.rand(5),), cache_dir=str(cache), monitor=False)
