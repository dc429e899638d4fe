"""The Python interface."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import turnkeyml
from turnkeyml import (
    MeasuredPerformance,
    benchmark_files,
    benchmark_model,
    build_model,
    build_stats,
    clean_builds,
    compare,
    conditions_met,
    delete_builds,
    list_builds,
    list_models,
    remeasure,
    system_info,
)
from turnkeyml.api import report
from turnkeyml.cache import BuildFolder
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.options import ModelOptions, in_keywords

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


def test_messages_for_programs_name_keyword_arguments(cache, capsys):
    given = {"cache_dir": str(cache), "iterations": 2}
    benchmark_model(SmallModel(), (torch.rand(4),), sequence="optimize-fp16", **given)
    printed = capsys.readouterr()
    assert 'use sequence="optimize-fp32" to avoid it.' in printed.err
    assert "leave out iterations or raise it." in printed.out
    assert "--" not in printed.out + printed.err
    with pytest.raises(UsageError, match=r"^quick=True is not allowed with iterations; choose one"):
        benchmark_model(SmallModel(), (torch.rand(4),), quick=True, **given)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("choose --threads 4.", "choose threads=4."),
        ("give it time with --budget S.", "give it time with budget=S."),
        ("Run it with --rebuild always to build it.", 'Run it with rebuild="always" to build it.'),
        ("another with --cache-dir or TURNKEY", "another with cache_dir or TURNKEY"),
        ("or with --rigorous.", "or with rigorous=True."),
        ("--resume is of files", "--resume is of files"),
    ],
)
def test_options_are_spelled_as_keywords(text, spoken):
    assert in_keywords(text, ModelOptions) == spoken


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
    with pytest.raises(UsageError, match=r"torch.nn.Module, an ONNX file, .* not a str"):
        build_model("model", {"x": 1}, cache_dir=str(cache))
    with pytest.raises(UsageError, match="inputs are missing"):
        build_model(SmallModel(), cache_dir=str(cache))
    with pytest.raises(UsageError, match="No input files"):
        benchmark_files([])
    with pytest.raises(UsageError, match="Unknown runtime 'x'"):
        benchmark_model(SmallModel(), (torch.rand(4),), runtime="x")


def test_a_model_that_does_not_run_is_a_clear_error(cache):
    with pytest.raises(TurnkeyError, match="fails when it runs again on its recorded inputs"):
        build_model(SmallModel(), (torch.rand(5),), cache_dir=str(cache), monitor=False)


def test_precisions_are_measured_side_by_side(cache):
    (result,) = benchmark_files(
        HELLO, cache_dir=str(cache), precision=["fp32", "fp16"], iterations=5
    )
    found = result.invocations[0].evaluations
    assert [e.precision for e in found] == ["fp32", "fp16"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with two finished builds, one of them measured."""
    cache = tmp_path_factory.mktemp("filled")
    for name in ("one", "two"):
        build_model(
            SmallModel(),
            (torch.rand(4),),
            build_name=name,
            cache_dir=str(cache),
            sequence="onnx-fp32",
            monitor=False,
        )
    remeasure("one", cache_dir=cache, iterations=5)
    return cache


def test_builds_are_listed_with_their_state_and_stats(filled):
    assert list_builds(cache_dir=filled) == ["one", "two"]
    one, two = build_stats("*", cache_dir=filled)
    assert (one.name, two.name) == ("one", "two")
    assert one.state["build_status"] == "successful_build"
    assert one.stats["model_class"] == "SmallModel"
    with pytest.raises(TurnkeyError, match="There is no build 'three'"):
        build_stats(["three"], cache_dir=filled)


def test_builds_are_measured_again(filled):
    seen = []
    found = remeasure(
        all=True, cache_dir=filled, iterations=4, on_result=lambda name, _: seen.append(name)
    )
    assert seen == list(found) == ["one", "two"]
    assert [e.performance.iterations for es in found.values() for e in es] == [4, 4]
    assert remeasure("one", cache_dir=filled, skip="attempted") == {"one": []}
    with pytest.raises(UsageError, match="Unknown skip policy 'some'"):
        remeasure("one", cache_dir=filled, skip="some")


def test_a_report_is_written_and_compared(filled, tmp_path):
    (table,) = report(cache_dir=filled, report_dir=tmp_path)
    assert "one" in table.read_text()
    comparison = compare(str(table), str(filled))
    assert comparison.rows
    assert conditions_met(comparison, fail_on="slower:5%,failed") == []
    with pytest.raises(UsageError, match="Unknown --fail-on condition"):
        conditions_met(comparison, fail_on="sloer:5%")
    with pytest.raises(TurnkeyError, match="There is no cache at"):
        report(cache_dir=[filled, tmp_path / "nowhere"], report_dir=tmp_path)


def test_builds_are_cleaned_and_deleted_unless_somebody_works_on_them(filled):
    with BuildFolder(filled, "two").lock():
        assert clean_builds(["one", "two"], cache_dir=filled) == {"one": True, "two": False}
    assert not (filled / "one" / "onnx").exists()
    with pytest.raises(UsageError, match="Name builds or give --all, not both"):
        delete_builds("one", all=True, cache_dir=filled)
    assert delete_builds(all=True, cache_dir=filled) == {"one": True, "two": True}
    assert list_builds(cache_dir=filled) == []


def test_models_are_listed_with_their_labels():
    found = list_models("selftest")
    assert found["selftest/linear"]["name"] == ("linear",)
    with pytest.raises(UsageError, match="No model has the labels x::y"):
        list_models("selftest", labels="x::y")


def test_system_info_describes_the_machine_and_its_runtimes():
    info = system_info()
    assert info.turnkey_version == turnkeyml.__version__
    assert info.cpu
    assert info.usable_cores >= 1
    assert info.memory_bytes > 1 << 28
    (device,) = (d for d in info.devices if d.default)
    assert device.available
    ort = next(r for r in device.runtimes if r.name == "ort")
    assert (ort.available, ort.missing) == (True, ())
    assert info.libraries["onnxruntime"] == ort.version


@pytest.mark.slow
def test_the_examples_in_the_document_run(tmp_path):
    page = Path(__file__).parent.parent / "docs" / "api.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 10
    (tmp_path / "examples").symlink_to(EXAMPLES.parent)
    (tmp_path / "document.py").write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, "document.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "TURNKEY_CACHE_DIR": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_onnx_file_is_built_on_the_given_inputs(cache):
    path = EXAMPLES / "onnx" / "sample.onnx"
    settings = {"cache_dir": str(cache), "monitor": False}
    state = build_model(path, {"x": torch.rand(1, 10)}, build_name="given", **settings)
    assert state.succeeded
    assert (BuildFolder(cache, "given").path / "onnx" / "sample.onnx").exists()
    assert build_model(str(path), (torch.rand(1, 10),), build_name="fp16", **settings).succeeded
    with pytest.raises(UsageError, match=r"sample\.onnx takes the inputs x; the given ones lack x"):
        build_model(str(path), {"y": torch.rand(1, 10)}, **settings)


def test_a_compiled_model_and_its_original_have_one_build(cache):
    model, inputs = torch.nn.Linear(4, 2), {"input": torch.rand(1, 4)}
    settings = {"cache_dir": str(cache), "monitor": False, "build_name": "one"}
    first = build_model(model, inputs, **settings)
    again = build_model(torch.compile(model, backend="eager"), inputs, **settings)
    assert again == first  # with the times of its stages: nothing was built again
