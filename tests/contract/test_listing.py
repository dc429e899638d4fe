"""What is shown of the models in a script."""

from __future__ import annotations

import re

import pytest

from .conftest import blocks, processor_of_this_machine
from .promises import promise

HASHES = ["24adc42f", "7ebbe8c4", "ef80819e", "d5267eaf", "f93db89f", "c69b7dea"]


@pytest.fixture(scope="module")
def analyzed(reader):
    """Analysis alone, with options that concern what comes after it."""
    ran = reader.types(
        "turnkey benchmark scripts/hello_world.py --analyze-only --runtime torch-eager "
        "--device x86 --sequence onnx-fp32 --cache-dir never_made"
    )
    assert ran.status == 0, ran.err
    return ran


@pytest.fixture(scope="module")
def built(reader):
    """A build alone, with an option that concerns measuring."""
    ran = reader.types(
        "benchit benchmark scripts/hello_world.py --build-only --runtime torch-eager -d built_only"
    )
    assert ran.status == 0, ran.err
    return ran


@pytest.fixture(scope="module")
def deep(reader, all_scripts):
    return reader.types("turnkey benchmark scripts/max_depth.py --max-depth 1 --iterations 5")


@promise("discovery", "--analyze-only prints the documented facts about each model")
@promise("tutorial", "--analyze-only lists a model with its type, class, place, size and hash")
def test_analyze_only_lists_the_facts(analyzed, reader):
    listing = re.sub(r"- \d+\.\d\ds", "- 0.00s", analyzed.out)
    facts = [
        "Models discovered during profiling:\n\nhello_world.py:\n",
        "        pytorch_model (executed 1x - 0.00s)\n",
        "                Model Type:     Pytorch (torch.nn.Module)\n",
        "                Class:          SmallModel (<class '__main__.SmallModel'>)\n",
        f"                Location:       {reader.cli / 'scripts' / 'hello_world.py'}, line 29\n",
        "                Parameters:     60 (240.0 B)\n",
        "                Hash:           24adc42f\n",
    ]
    positions = [listing.index(fact) for fact in facts]
    assert positions == sorted(positions)


@promise("discovery", "--analyze-only neither builds nor measures")
@promise("tools", "--analyze-only discovers and describes models and does no more")
@promise("tutorial", "--analyze-only ends without a status")
def test_analyze_only_neither_builds_nor_measures(analyzed, reader):
    assert "Status:" not in analyzed.out
    assert "Latency" not in analyzed.out
    assert "Build dir:" not in analyzed.out


@promise("tools", "Options for builds and measurements are ignored by --analyze-only")
def test_analyze_only_ignores_options_for_later_phases(analyzed, reader):
    assert analyzed.status == 0
    assert not (reader.cli / "never_made").exists()


@promise("tools", "The listing says how often a model was called and how long that took")
def test_the_listing_says_how_often_and_how_long(analyzed):
    assert re.search(r"pytorch_model \(executed 1x - \d+\.\d\ds\)", analyzed.out)


@promise("discovery", "What a script prints is shown")
@promise("tools", "The whole script is run")
def test_what_a_script_prints_is_shown(analyzed):
    assert "pytorch_outputs: tensor([" in analyzed.out


@promise("discovery", "A command that went well ends with the documented closing line")
@promise("builds", "A build-only run ends with the documented closing line")
def test_the_closing_line(analyzed, built):
    for ran in (analyzed, built):
        assert ran.out.splitlines()[-1] == "Woohoo! The 'benchmark' command is complete."


@promise("discovery", "Every model in every script that is named is evaluated")
@promise("tools", "More than one script can be named")
def test_every_model_in_every_script_is_evaluated(all_scripts):
    assert re.findall(r"Hash: +(\w+)", all_scripts.out) == HASHES
    assert all_scripts.out.count("Successfully benchmarked on") == len(HASHES)


@promise("discovery", "The listing has parameters, size, input shape and hash as documented")
@promise("tools", "Analysis counts the parameters of a model")
def test_the_documented_numbers_of_the_example_scripts(all_scripts):
    rows = [
        ("60 (240.0 B)", "'x': (11,)", "24adc42f"),
        ("85 (340.0 B)", "'x': (10,)", "7ebbe8c4"),
        ("55 (220.0 B)", "'x': (10,)", "f93db89f"),
        ("510 (1.99 KB)", "'x': (50,)", "c69b7dea"),
    ]
    for parameters, shape, digest in rows:
        lines = rf"Parameters: +{re.escape(parameters)}\n +Input Shape: +{re.escape(shape)}\n"
        assert re.search(lines + rf" +Hash: +{digest}\n", all_scripts.out)


@promise("tools", "A script is analysed, its models are built, and then measured")
def test_the_order_of_the_work(all_scripts):
    steps = re.findall(r"24adc42f: (export|optim|fp16|set_success|measuring)", all_scripts.err)
    # On a busy machine a step is told again while it goes on.
    assert list(dict.fromkeys(steps)) == ["export", "optim", "set_success", "measuring"]


@promise("tutorial", "A model is exported, optimised, converted and measured, in this order")
def test_the_order_of_the_work_of_benchit(benchit_run):
    steps = re.findall(r"24adc42f: (export|optim|fp16|set_success|measuring)", benchit_run.err)
    assert list(dict.fromkeys(steps)) == ["export", "optim", "fp16", "set_success", "measuring"]


@promise("ours", "Where float16 costs time the status says how to measure without it")
def test_the_status_tells_what_float16_costs(benchit_run):
    assert "use --precision fp32 to avoid it" in benchit_run.out


@promise("discovery", "The listing shows where each build lies")
def test_each_model_shows_its_own_build_directory(all_scripts, reader):
    for digest, block in blocks(all_scripts.out).items():
        (shown,) = re.findall(r"Build dir: +(\S+)", block)
        assert shown.startswith(str(reader.cache))
        assert shown.endswith(digest)
        assert (reader.cache / shown).is_dir()


@promise("discovery", "The status names the device, the runtime and its version")
@promise("tutorial", "The status line names the CPU on which a model was measured")
def test_the_status_names_the_device_and_the_runtime(all_scripts):
    import onnxruntime

    processor = processor_of_this_machine()
    status = f"Successfully benchmarked on {processor} (ort v{onnxruntime.__version__})"
    assert all_scripts.out.count(status) == len(HASHES)


@promise("discovery", "The status shows mean latency and throughput with their units")
@promise("tutorial", "Mean latency and throughput are reported")
@promise("tools", "The result is a latency in milliseconds and a throughput in inferences a second")
def test_the_status_shows_latency_and_throughput(all_scripts):
    for block in blocks(all_scripts.out).values():
        assert re.search(r"Mean Latency: +\d+\.\d{3} +milliseconds \(ms\)\n", block)
        assert re.search(r"Throughput: +\d+\.\d +inferences per second \(IPS\)\n", block)


@promise("discovery", "A model called with several input shapes is listed once, with each shape")
def test_each_input_shape_of_a_model_is_listed(all_scripts):
    text = all_scripts.out.split("multiple_invocations.py:")[1].split("two_models.py:")[0]
    assert text.count("Model Type:") == 1
    assert re.search(r"\n        pytorch_model\n", text)
    first = (
        r"With input shape 1 \(executed 2x.*\)\n +Input Shape: +'x': \(1, 12\)\n +Hash: +ef80819e"
    )
    second = (
        r"With input shape 2 \(executed 1x.*\)\n +Input Shape: +'x': \(2, 12\)\n +Hash: +d5267eaf"
    )
    assert re.search(f"{first}[\\s\\S]+{second}", text)


@promise("discovery", "Without --max-depth only the models at the top of a script are listed")
@promise("tools", "--max-depth is 0 by default")
def test_without_max_depth_sub_models_are_not_listed(all_scripts):
    assert "Class:          Linear" not in all_scripts.out


@promise("discovery", "--max-depth 1 also lists and measures the parts of a model")
@promise("tutorial", "--max-depth 1 measures the two layers of the example as well")
@promise("tools", "--max-depth says how deep below the models of a script to look")
def test_max_depth_measures_sub_models_too(deep):
    assert deep.status == 0, deep.err
    assert deep.out.count("Successfully benchmarked on") == 3
    names = r"        (pytorch_model) [\s\S]+\n {24}(fc) [\s\S]+\n {24}(fc2) "
    assert re.search(names, deep.out)
    classes = deep.out.count("Class:          Linear (<class 'torch.nn.modules.linear.Linear'>)")
    assert classes == 2


@promise("discovery", "The parts of the example have 55 and 30 parameters and their own hashes")
def test_sub_models_have_their_documented_sizes(deep):
    assert re.search(r"Parameters: +55 \(220.0 B\)", deep.out)
    assert re.search(r"Parameters: +30 \(120.0 B\)", deep.out)
    assert len(set(re.findall(r"Hash: +(\w{8})\n", deep.out))) == 3


@promise("tutorial", "--build-only lists and builds without measuring")
@promise("builds", "--build-only builds a model and measures nothing")
@promise("tools", "--build-only stops after the build")
def test_build_only_builds_and_does_not_measure(built, reader):
    assert "Status:         Model successfully built!" in built.out
    assert "Latency" not in built.out
    folder = reader.cli / "built_only" / "hello_world_24adc42f"
    assert list((folder / "onnx").glob("*.onnx"))
    assert not list(folder.glob("*_benchmark"))


@promise("tools", "Options for measurements are ignored by --build-only")
def test_build_only_ignores_the_runtime(built):
    assert built.status == 0
    assert "torch-eager" not in built.out + built.err
