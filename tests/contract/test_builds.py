"""What a build is: its folder, its stages, when it is made again."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import onnx
import pytest
import torch

from turnkeyml import benchmark_model, build_model, load_state

from .conftest import builds_in
from .promises import promise

DEFAULT_SEQUENCE = ["export_pytorch", "optimize_onnx", "set_success"]
FLOAT, FLOAT16 = onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16
BENCHIT_SEQUENCE = ["export_pytorch", "optimize_onnx", "fp16_conversion", "set_success"]


@pytest.fixture
def build(cache):
    """Builds a small model; whether that made new files."""

    def run(features=3, seed=0, shape=(3,), **settings) -> bool:
        torch.manual_seed(seed)
        model = torch.nn.Linear(shape[-1], features)
        state = build_model(
            model,
            (torch.rand(shape),),
            cache_dir=str(cache),
            build_name="b",
            monitor=False,
            **settings,
        )
        folder = cache / "b"
        stamp = (folder / state.artifacts["onnx"]).stat().st_mtime_ns
        changed = stamp != getattr(run, "stamp", None)
        run.stamp = stamp
        return changed

    return run


@pytest.fixture(scope="module")
def custom(reader):
    """The older guide's run with a sequence from a file."""
    shutil.rmtree(reader.cli / "custom", ignore_errors=True)
    line = "benchit benchmark scripts/hello_world.py --sequence-file extras/example_sequence.py"
    return reader.types(f"{line} --build-only -d custom")


@pytest.fixture(scope="module")
def chosen(reader):
    """A named sequence and an opset, against another opset in the environment."""
    line = "turnkey scripts/hello_world.py --build-only -d chosen"
    words = "--sequence onnx-fp32 --onnx-opset 16"
    return reader.types(f"{line} {words}", env={"TURNKEY_ONNX_OPSET": "17"})


def opset_of(file: Path) -> int:
    return next(o.version for o in onnx.load(file).opset_import if not o.domain)


@promise("tools", "A build is saved in the cache as {script_name}_{hash}")
@promise("tools", "Each build has a folder of its own in the cache, with the build's name")
def test_builds_are_named_after_script_and_hash(made):
    assert builds_in(made) == [
        "hello_world_24adc42f",
        "max_depth_7ebbe8c4",
        "multiple_invocations_d5267eaf",
        "multiple_invocations_ef80819e",
        "two_models_c69b7dea",
        "two_models_f93db89f",
    ]


@promise("tools", "The state of a build is in a file named after it, *_state.yaml")
def test_a_build_has_its_state(made, state):
    found = state(made / "hello_world_24adc42f")
    assert found["build_status"] == "successful_build"


@promise("tools", "Each stage of a build leaves a log, log_*.txt")
@promise("tutorial", "The logs of a build are named after the stages")
def test_each_stage_leaves_a_log(made):
    for stage in DEFAULT_SEQUENCE:
        assert (made / "hello_world_24adc42f" / f"log_{stage}.txt").is_file()


@promise("tools", "A build has the ONNX files that its stages made")
@promise("tutorial", "A build folder has a folder named onnx")
def test_a_build_has_onnx_files(made):
    files = list((made / "hello_world_24adc42f" / "onnx").glob("*.onnx"))
    assert len(files) == 2
    for file in files:
        onnx.checker.check_model(onnx.load(file))


@promise("tools", "Statistics about a build are in turnkey_stats.yaml")
@promise("tools", "Results of a benchmark are saved in the build's folder")
def test_a_build_has_its_stats(made, stats):
    (evaluation,) = stats(made / "hello_world_24adc42f")["evaluations"]
    assert evaluation["performance"]["mean_latency"] > 0


@promise("tutorial", "A build folder keeps the original inputs and what measuring left")
def test_a_build_keeps_inputs_and_measurements(made):
    folder = made / "hello_world_24adc42f"
    assert list(folder.glob("inputs_original.*"))
    assert (folder / "x86_benchmark").is_dir()


@promise("tools", "A build begins with the ONNX exporter and may optimise and convert to float16")
@promise("tutorial", "The default sequence exports, optimises, converts to float16, sets success")
@promise("builds", "The default sequence has the four documented steps")
def test_the_default_sequence_of_benchit(benchit_run, reader):
    shown = reader.types("benchit cache stats hello_world_24adc42f -d older").out
    lines = "".join(f"  - {stage}\n" for stage in BENCHIT_SEQUENCE)
    assert f"  sequence:\n{lines}" in shown


@promise("tutorial", "The model is converted to float16")
def test_benchit_converts_to_float16(benchit_run, reader, state):
    assert weights(reader.cli / "older" / "hello_world_24adc42f", state) == {FLOAT16}


@promise("ours", "The default sequence is the runtime's: fp32 for ONNX Runtime on x86")
def test_the_default_sequence_of_the_runtime(made, state):
    folder = made / "hello_world_24adc42f"
    assert state(folder)["config"]["sequence"] == DEFAULT_SEQUENCE
    assert weights(folder, state) == {FLOAT}


@promise("ours", "--precision builds and measures in that precision")
@pytest.mark.parametrize(("precision", "kind"), [("fp16", FLOAT16), ("fp32", FLOAT)])
def test_the_precision_can_be_chosen(reader, state, precision, kind):
    line = f"turnkey scripts/hello_world.py --precision {precision} --iterations 3 -d {precision}"
    ran = reader.types(line)
    assert ran.status == 0, ran.out + ran.err
    assert weights(reader.cli / precision / "hello_world_24adc42f", state) == {kind}


def weights(folder, state) -> set[int]:
    """The types of the weights of a build."""
    model = onnx.load(folder / state(folder)["artifacts"]["onnx"])
    return {tensor.data_type for tensor in model.graph.initializer}


@promise("tools", "A build has the static shapes of its inputs")
def test_a_build_has_static_shapes(made, state):
    folder = made / "multiple_invocations_d5267eaf"
    model = onnx.load(folder / state(folder)["artifacts"]["onnx"])
    dimensions = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    assert dimensions == [2, 12]


@promise("tools", "A successful build is loaded from the cache instead of made again")
@promise("tools", "--rebuild is if_needed by default")
def test_a_successful_build_is_used_again(three_runtimes):
    assert "24adc42f: the build is in the cache" in three_runtimes.err
    assert "export_pytorch" not in three_runtimes.err


@promise("tools", "With if_needed a build is made where there is none")
@promise("tools", "A build is stale when the model has changed")
def test_a_changed_model_makes_a_build_stale(build):
    assert build()
    assert not build()
    assert build(seed=1)


@promise("tools", "A build is stale when the inputs have changed")
def test_changed_inputs_make_a_build_stale(build):
    build()
    assert build(shape=(2, 3))


@promise("tools", "A build is stale when the arguments of the build have changed")
@pytest.mark.parametrize("change", [{"onnx_opset": 16}, {"sequence": "onnx-fp32"}])
def test_changed_arguments_make_a_build_stale(build, change):
    build()
    assert build(**change)
    assert not build(**change)


@promise("tools", "A fixed seed keeps random parameters from making a build stale")
def test_a_seed_keeps_a_build_fresh(build):
    build(seed=5)
    assert not build(seed=5)


@promise("tools", "A build is stale when the major or minor version of the tool has changed")
def test_another_version_makes_a_build_stale(build, monkeypatch):
    import turnkeyml

    major, minor, patch = (int(part) for part in turnkeyml.__version__.split(".")[:3])
    build()
    monkeypatch.setattr(turnkeyml, "__version__", f"{major}.{minor}.{patch + 1}")
    assert not build()
    monkeypatch.setattr(turnkeyml, "__version__", f"{major}.{minor + 1}.{patch}")
    assert build()
    monkeypatch.setattr(turnkeyml, "__version__", f"{major + 1}.{minor + 1}.{patch}")
    assert build()


@promise("tools", "With always a build is made again whatever is in the cache")
@promise("tools", "build_model takes rebuild=")
def test_always_builds_again(build):
    build()
    assert build(rebuild="always")


@promise("tools", "With never a stale build is loaded and not made again")
def test_never_does_not_build_again(build):
    build()
    assert not build(seed=1, rebuild="never")


@promise("tools", "With never a failed build is not made again")
def test_never_leaves_a_failed_build_alone(cache):
    class Broken(torch.nn.Module):
        def forward(self, x):
            raise ValueError("broken")

    for policy in ("if_needed", "never"):
        with pytest.raises(Exception, match=r".+"):
            build_model(
                Broken(), (torch.rand(2),), build_name="b", rebuild=policy, cache_dir=str(cache)
            )
        assert load_state("b", str(cache)).build_status == "failed_build"


@promise("tools", "--rebuild POLICY sets the policy on the command line")
def test_the_policy_on_the_command_line(reader, filled_cache):
    line = f"turnkey scripts/hello_world.py --build-only -d {filled_cache} --rebuild"
    assert "export_pytorch" in reader.types(f"{line} always").err
    assert "export_pytorch" not in reader.types(f"{line} never").err


@promise("tools", "benchmark_model takes rebuild= and sequence=")
def test_benchmark_model_takes_policy_and_sequence(cache):
    model = torch.nn.Linear(2, 2)
    for policy in ("always", "never"):
        settings = {"rebuild": policy, "sequence": "optimize-fp32", "build_only": True}
        benchmark_model(model, (torch.rand(2),), build_name="b", cache_dir=str(cache), **settings)
    assert load_state("b", str(cache)).sequence == [
        "export_pytorch",
        "optimize_onnx",
        "set_success",
    ]


@promise("tools", "--sequence replaces the default sequence by a built-in one of that name")
def test_a_named_sequence(chosen, reader, state):
    assert chosen.status == 0, chosen.err
    folder = reader.cli / "chosen" / "hello_world_24adc42f"
    assert state(folder)["config"]["sequence"] == ["export_pytorch", "set_success"]


@promise("tools", "--onnx-opset sets the opset of the ONNX files")
@promise("tools", "--onnx-opset wins over the environment")
def test_the_opset_on_the_command_line(chosen, reader):
    (file,) = (reader.cli / "chosen" / "hello_world_24adc42f" / "onnx").iterdir()
    assert opset_of(file) == 16


@promise("tools", "build_model and benchmark_model take onnx_opset=")
def test_the_opset_from_python(cache):
    inputs = (torch.rand(2),)
    settings = {"cache_dir": str(cache), "sequence": "onnx-fp32", "onnx_opset": 17}
    build_model(torch.nn.Linear(2, 2), inputs, build_name="one", **settings)
    benchmark_model(torch.nn.Linear(2, 2), inputs, build_name="two", build_only=True, **settings)
    files = sorted(cache.glob("*/onnx/*.onnx"))
    assert [opset_of(file) for file in files] == [17, 17]


@promise("tutorial", "--sequence-file replaces the default sequence by the one of a file")
@promise("builds", "The example sequence of a file exports and does no more")
def test_a_sequence_from_a_file(custom, reader):
    assert custom.status == 0, custom.err
    shown = reader.types("benchit cache stats hello_world_24adc42f -d custom").out
    assert re.search(r"  sequence:\n  - export_pytorch\n  - set_success\n(?!  -)", shown)


@promise("ours", "A sequence file without get_sequence() is told by name")
def test_a_file_without_a_sequence_is_told(reader):
    ran = reader.types("turnkey scripts/hello_world.py --sequence-file scripts/max_depth.py")
    assert (ran.status, ran.out) == (2, "")
    assert re.search(r"max_depth\.py has no function get_sequence", ran.err)
    assert len(ran.err.splitlines()) == 1
