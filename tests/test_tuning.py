"""Tuning: what is tried and in which order, what may win, and the programs that it writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper

import turnkeyml
from turnkeyml import TurnkeyError, UsageError, tune
from turnkeyml.build import batched_inputs
from turnkeyml.cache import BuildFolder, read_state
from turnkeyml.evaluate import Outcome
from turnkeyml.measure import Elimination, PerCopy, Samples
from turnkeyml.nouns import (
    Configuration,
    Evaluation,
    Flag,
    FlagKind,
    OutputErrors,
    Performance,
    Trial,
    TrialStatus,
    TuneResult,
)
from turnkeyml.options import TuneOptions, settle
from turnkeyml.runtimes import default_device, find_runtime
from turnkeyml.tuning import (
    Journal,
    Precisions,
    Space,
    Variants,
    advantage,
    best_of,
    check_target,
    make_space,
    next_wave,
    parse_tolerance,
    thread_counts,
    verdict_of,
    with_front,
)
from turnkeyml.tuning.confirmation import _Finalist
from turnkeyml.verify import Reference, errors_of

FAST = Configuration("ort", "int8-static", 2)
DEFAULT = Configuration("ort", "fp32", 2)

SPACE = Space(
    Configuration("a", "fp32", 8),
    {"a": ("fp32", "int8-dynamic", "int8-static"), "b": ("fp32", "bf16", "int8-static")},
    (1, 2, 4, 8),
    {"a": {"level": ("all", "some"), "spin": (True, False)}, "b": {"pin": ("auto", "off")}},
)


def trial(configuration, time, status=TrialStatus.OPEN, **more):
    return Trial(configuration, status, latency=time, relative_time=time, **more)


def search(times, space=SPACE, wave=5):
    """The trials of a whole search where ``times`` knows how long each configuration takes."""
    trials = []
    while chosen := next_wave(space, trials, wave):
        trials += [trial(c, times(c)) for c in chosen]
    return trials


def usual(c):
    """Times of which no two factors are independent of each other."""
    time = {"fp32": 4.0, "bf16": 2.5, "int8-dynamic": 3.0, "int8-static": 1.6}[c.precision]
    time *= {"a": 1.0, "b": 0.9}[c.runtime]
    time *= 1 + 0.02 * (c.threads - 1) if c.precision == "int8-static" else 1 / c.threads**0.3
    if c.arguments.get("spin") is False:
        time *= 0.97 if c.threads == 1 else 1.2
    return time * (0.95 if c.arguments.get("pin") == "off" else 1.0)


def test_the_search_finds_the_best_and_tries_a_part_of_everything():
    found = search(usual)
    every = list(SPACE.every())
    assert len(every) == len({c.label for c in every}) == 3 * 4 * 4 + 3 * 4 * 2
    best = min(usual(c) for c in every)
    assert best_of(found).latency <= 1.03 * best
    assert len(found) <= len(every) / 2


def test_the_default_is_tried_first_and_nothing_is_tried_twice():
    found = search(usual)
    assert found[0].configuration == SPACE.default
    assert len({t.configuration.label for t in found}) == len(found)


def test_what_is_wrong_is_not_tried_with_other_threads():
    default = trial(SPACE.default, 1.0)
    wrong = Trial(Configuration("a", "int8-static", 8), TrialStatus.WRONG, "far off")
    left = next_wave(SPACE, [default, wrong], 100)
    assert not any((c.runtime, c.precision) == ("a", "int8-static") for c in left)


def test_batches_grow_until_they_do_not_help():
    space = replace(SPACE, precisions={"a": ("fp32",), "b": ()}, batches=(1, 2, 4, 8, 16))
    found = search(lambda c: 1.0 if c.batch < 4 else 0.5 if c.batch == 4 else 0.8, space)
    batches = {t.configuration.batch for t in found}
    assert batches >= {1, 2}
    assert 16 not in batches


def test_threads_are_one_all_and_powers_of_two_between():
    assert thread_counts(1) == (1,)
    assert thread_counts(2) == (1, 2)
    assert thread_counts(6) == (1, 2, 4, 6)


def test_runtimes_say_what_is_worth_trying():
    device = default_device()
    runtime = find_runtime(device.default_runtime, device.name)
    known = Precisions("fp32", ("fp32", "fp16", "int8-static"))
    space = make_space(
        [runtime], known, ("fp32", "fp16", "int8-static"), threads=(1,), default_threads=1
    )
    assert space.precisions[runtime.name] == ("fp32", "int8-static")
    assert {t.configuration.precision: t.reason for t in space.skipped} == {
        "fp16": f"ONNX Runtime casts it to fp32 on {device.name}, which only costs time"
    }
    assert space.arguments[runtime.name]["graph_optimization"] == ("all", "extended")


def rounds(*medians, count=8, noise=0.001):
    random = np.random.default_rng(0)
    return [m * (1 + noise * random.standard_normal(count)) for m in medians]


def test_the_slower_ones_drop_out_and_one_that_is_alone_ends_the_wave():
    ruling = Elimination([True] * 3, 0.02).rule(rounds(1.0, 2.0, 1.5, count=3))
    assert ruling.losers == {0, 1, 2}
    ruling = Elimination([True] * 3, 0.02).rule(rounds(1.0, 2.0, 1.001, count=3))
    assert ruling.losers == {1}


def test_what_is_not_right_does_not_beat_anybody():
    ruling = Elimination([True, False, True], 0.001).rule(rounds(1.0, 0.1, 1.0, count=3))
    assert not ruling.losers & {0, 2}


def test_a_larger_batch_is_judged_by_its_time_per_copy():
    referee = PerCopy(Elimination([True, True], 0.02), [1, 4])
    assert 0 in referee.rule(rounds(1.0, 2.0)).losers


def test_the_front_has_what_is_best_in_something():
    def made(precision, time, error, memory):
        errors = OutputErrors(1.0, 30.0, error)
        one = Configuration("ort", precision, 1)
        return trial(one, time, errors=errors, peak_memory_bytes=memory)

    trials = [
        made("int8-static", 1.0, 1e-2, 100),
        made("bf16", 2.0, 1e-3, 200),
        made("fp32", 4.0, 1e-7, 200),
        made("int8-dynamic", 1.5, 1.1e-2, 102),
        replace(made("fp16", 0.1, 0.5, 10), status=TrialStatus.WRONG),
    ]
    front = {t.configuration.precision for t in with_front(trials) if t.on_front}
    assert front == {"int8-static", "bf16", "fp32"}


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("cosine>=0.999", OutputErrors(0.9991, 0, 1), OutputErrors(0.998, 90, 0)),
        ("sqnr >= 30 dB", OutputErrors(0, 30.0, 1), OutputErrors(1, 29.9, 0)),
        ("relative<=1%", OutputErrors(0, 0, 0.01), OutputErrors(1, 90, 0.011)),
    ],
)
def test_tolerances(text, good, bad):
    tolerance = parse_tolerance(text)
    assert tolerance.why_wrong(good) is None
    assert "was asked for" in tolerance.why_wrong(bad)
    assert parse_tolerance(str(tolerance)) == tolerance


@pytest.mark.parametrize("text", ["cosine>=2", "sqnr>=-3dB", "relative<=200%", "cosine>=-1"])
def test_a_tolerance_that_decides_nothing_is_refused(text):
    with pytest.raises(UsageError, match="accepts everything or nothing"):
        parse_tolerance(text)


def test_errors_are_the_worst_of_all_outputs_and_sets():
    x = np.ones((2, 4), dtype=np.float32)
    held = Reference({"x": -x}, {"y": -x, "n": np.array([1, 2])})
    larger = Reference({"x": 9 * x}, {"y": 9 * x, "n": np.array([1, 2])})
    reference = Reference({"x": x}, {"y": x, "n": np.array([1, 2])}, held_out=(held, larger))

    def run(inputs):
        error = 0.1 if inputs["x"][0, 0] < 0 else 0.0
        return {"y": inputs["x"] + np.float32(error), "n": np.array([1, 2])}

    found = errors_of(run, reference)
    assert found.sets == 2  # the larger one is not of the same magnitude
    assert found.relative == pytest.approx(0.1, rel=1e-5)
    assert found.sqnr == pytest.approx(20, abs=0.01)
    wrong = errors_of(lambda inputs: {"y": inputs["x"] * np.nan, "n": np.zeros(2)}, reference)
    assert wrong.cosine == 0


def test_a_verdict_says_what_is_open():
    trials = (trial(DEFAULT, 1.0), trial(FAST, 0.5), Trial(FAST, TrialStatus.UNTRIED))
    result = TuneResult("b", "x86", "latency", "", DEFAULT, FAST, 2.0, 1.9, 2.1, trials)
    assert "2 times as fast as the default" in verdict_of(result)
    assert "(95% interval 1.9 to 2.1)" in verdict_of(result)
    assert "run the same command again" in verdict_of(replace(result, is_complete=False))
    slower = (trial(DEFAULT, 1.0), trial(FAST, 1.0))
    default = replace(result, winner=DEFAULT, trials=slower)
    assert verdict_of(default).startswith("Nothing that is right is faster than the default")
    assert verdict_of(replace(result, winner=None)).startswith("Nothing that was tried is right")


def test_a_final_that_does_not_tell_is_no_reason_to_say_that_nothing_is_faster():
    trials = (trial(DEFAULT, 1.0, TrialStatus.WINNER), trial(FAST, 0.5))
    result = TuneResult("b", "x86", "latency", "", DEFAULT, DEFAULT, 1.0, None, None, trials)
    assert "Nothing that is right" not in verdict_of(result)
    assert "ort int8-static, 2 threads was 2 times as fast in the final" in verdict_of(result)


def test_a_latency_that_is_not_credible_does_not_win_the_final():
    entrant = SimpleNamespace(configuration=FAST, wrong=None)
    figures = Performance(1, 1, 1, 1, 1, 1, 1, 1, 1, flags=(Flag(FlagKind.SEEN, "It knew them."),))
    outcome = Outcome(Evaluation("x86", "a CPU", "ort", performance=figures))
    one = _Finalist(entrant, outcome, samples(1000, 1000))
    assert (one.may_win, one.wrong) == (False, "its latency is not credible: It knew them.")
    plain = replace(outcome.evaluation, performance=replace(figures, flags=()))
    assert replace(one, outcome=Outcome(plain)).may_win


def samples(*medians):
    timed = np.concatenate([np.full(5, m) for m in medians])
    walls = (10,) * len(medians)
    return Samples(timed, 1, (5,) * len(medians), walls, timed[:5], True, "time", 50.0, 30.0)


def test_few_rounds_are_enough_for_what_is_much_faster():
    far = advantage(FAST, samples(50, 52, 49), DEFAULT, samples(180, 175, 190))
    assert far.is_clear
    assert far.ratio == pytest.approx(3.6, rel=0.01)
    assert not advantage(FAST, samples(50, 52), DEFAULT, samples(180, 175)).is_clear
    assert not advantage(FAST, samples(50, 170, 49), DEFAULT, samples(180, 175, 190)).is_clear


def test_a_journal_is_only_read_for_the_same_search(tmp_path):
    folder = BuildFolder(tmp_path, "b")
    one = Configuration("ort", "fp32", 1, {"spinning": False})
    Journal(folder, {"file": "1"}).write([trial(one, 1.0)], 3.0)
    (known,), seconds = Journal(folder, {"file": "1"}).read()
    assert (known.configuration, seconds) == (one, 3.0)
    assert Journal(folder, {"file": "2"}).read() == ([], 0.0)
    Journal(folder, {"file": "1"}).write([trial(one, 1.0)], 3.0, is_complete=True)
    assert Journal(folder, {"file": "1"}).read() == ([], 0.0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tolerance": "exact"}, "The tolerance must be cosine>=0.999, sqnr>=30dB or relative"),
        ({"tolerance": "cosine<=0.9"}, "The tolerance must be"),
        ({"tolerance": "sqnr>=30%"}, "The tolerance must be"),
        ({"budget": "soon"}, "The budget must be a time such as 90s, 5m or 1h"),
        ({"budget": "0s"}, "The budget must be a time"),
        ({"threads": "1,x"}, "The number of threads must be integers of at least 1"),
        ({"batch": 0}, "The batch must be integers of at least 1"),
        ({"precision": "int4"}, "Unknown precision 'int4'; choose from: fp32, fp16, bf16, int8-dy"),
        ({"objective": "beauty"}, "Unknown objective 'beauty'; choose from: latency, throughput"),
        ({"metric_drop": "much"}, "The drop of the metric must be a share such as 1%"),
        ({"metric": "/no/such.py"}, "The metric '/no/such.py' cannot be read"),
        ({"metric": __file__}, "has no function metric(run)"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(options, sentence):
    with pytest.raises(UsageError) as raised:
        settle(TuneOptions, options)
    assert sentence in str(raised.value)


def test_times_and_numbers_come_in_the_form_in_which_they_are_used():
    found = settle(TuneOptions, {"budget": "1.5m", "threads": "4,1,4", "metric_drop": "2%"})
    assert (found["budget"], found["threads"], found["metric_drop"]) == (90.0, (1, 4), 0.02)
    assert settle(TuneOptions, {})["budget"] == 300.0


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A cache with the build of a small network."""
    cache = tmp_path_factory.mktemp("tuning") / "cache"
    torch.manual_seed(0)
    layers = [torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 16)]
    model = torch.nn.Sequential(*layers).eval()
    turnkeyml.build_model(model, {"input": torch.randn(8, 64)}, build_name="net", cache_dir=cache)
    return cache


@pytest.fixture
def cache(prepared, tmp_path):
    return shutil.copytree(prepared, tmp_path / "cache")


def quickly(cache, **options):
    """Tune the network in few configurations and little time."""
    few = {"runtime": "ort", "precision": "int8-dynamic", "threads": 1, "budget": "1s"}
    return tune("net", cache_dir=cache, **{**few, **options})


def outputs_of(program, cache, folder):
    """What the program of a winner computes on the recorded inputs."""
    inputs, outputs = cache / "net" / "inputs_original.npz", folder / "outputs.npz"
    done = subprocess.run(
        [sys.executable, "-I", program, inputs, outputs], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "median of 100 runs" in done.stdout
    (found,) = np.load(outputs).values()
    return found


def words_of(program, *words):
    """What the program says if it is used in a wrong way."""
    for file in words:
        np.savez(file, other=np.ones(3))
    command = [sys.executable, "-I", program, *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def golden(cache):
    (found,) = np.load(cache / "net" / "outputs_original.npz").values()
    return found


@pytest.mark.slow
def test_the_winner_is_right_and_its_program_computes_the_same(cache, tmp_path):
    result = quickly(cache, tolerance="cosine>=0.99", output=tmp_path / "fast.py")
    winner = result.trial(result.winner)
    assert winner.status is TrialStatus.WINNER
    assert winner.errors.cosine >= 0.99
    found = outputs_of(tmp_path / "fast.py", cache, tmp_path)
    assert np.abs(found - golden(cache)).max() <= 0.05 * np.abs(golden(cache)).max()
    check_target(tmp_path / "fast.py")  # its own program may be replaced
    said = [words_of(tmp_path / "fast.py", *words) for words in ((), (tmp_path / "other.npz",))]
    assert "INPUTS.npz [OUTPUTS.npz]" in said[0]
    assert said[1].endswith("other.npz has no array input; the model takes input.\n")
    text = (tmp_path / "fast.py").read_text()
    assert "import turnkeyml" not in text
    assert (tmp_path / "fast.onnx").exists()
    finalists_are_evaluations(result, cache)


def finalists_are_evaluations(result, cache):
    """They are in the build, but are not measured again with it."""
    (stats,) = turnkeyml.build_stats("net", cache_dir=cache)
    tuned = [e["parameters"].get("tune", "") for e in stats.stats["evaluations"]]
    assert "" in tuned  # the default
    assert result.winner in [result.default] or result.winner.details in tuned
    again = turnkeyml.remeasure("net", cache_dir=cache, skip="none", iterations=3)
    assert len(again["net"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, pytest.param({"tolerance": "sqnr>=10dB"}, marks=pytest.mark.slow)]
)
def test_a_contestant_with_wrong_outputs_never_wins(cache, options):
    """A file that does nearly nothing is by far the fastest."""
    net = BuildFolder(cache, "net")
    Variants(net, read_state(net)).file("int8-dynamic")
    x = helper.make_tensor_value_info("input", TensorProto.FLOAT, [8, 64])
    y = helper.make_tensor_value_info("output", TensorProto.FLOAT, [8, 16])
    ends = [
        helper.make_tensor(name, TensorProto.INT64, [1], [value])
        for name, value in (("start", 0), ("end", 16), ("axis", 1))
    ]
    node = helper.make_node("Slice", ["input", "start", "end", "axis"], ["output"])
    graph = helper.make_graph([node], "g", [x], [y], ends)
    opset = [helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=9)
    onnx.save(model, net.tuning / "int8-dynamic.onnx")
    result = quickly(cache, **options)
    found = result.trial(Configuration("ort", "int8-dynamic", 1))
    assert found.status is TrialStatus.WRONG
    assert found.reason
    assert not found.on_front
    assert result.winner.precision == "fp32"


@pytest.mark.slow
def test_a_budget_ends_the_search_and_the_next_run_goes_on(cache):
    told = []
    first = quickly(cache, budget="0.1s", precision="fp32")
    assert not first.is_complete
    assert first.winner is not None
    assert "run the same command again" in first.verdict
    second = quickly(cache, budget="30s", precision="fp32", on_progress=told.append)
    assert told[0] == "Resumed: 2 configurations were tried before."
    assert second.is_complete
    assert len(second.trials) > 2


METRIC = """
import numpy as np

def metric(run):
    golden = np.load({outputs!r})
    outputs = run(dict(np.load({inputs!r})))
    (wanted,), (found,) = golden.values(), outputs.values()
    return float((found.argmax(1) == wanted.argmax(1)).mean())
"""


@pytest.mark.slow
def test_a_metric_of_the_users_decides(cache, tmp_path):
    file = tmp_path / "accuracy.py"
    paths = {name: str(cache / "net" / f"{name}_original.npz") for name in ("inputs", "outputs")}
    file.write_text(METRIC.format(**paths))
    result = quickly(cache, metric=file)
    assert result.trial(result.default).metric == 1.0
    assert result.right == f"the metric in {file}"
    file.write_text(METRIC.format(**paths) + "\nminimum = 1.5\n")
    result = quickly(cache, metric=file)
    assert result.winner is None
    assert "metric 1, below 1.5 (the minimum in its file)" in result.trials[0].reason


def test_a_metric_that_fails_is_one_sentence(cache, tmp_path):
    file = tmp_path / "broken.py"
    for does, sentence in (
        ("raise ValueError('no data')", "ValueError: no data"),
        ("return float('nan')", "it returned nan, which cannot be compared"),
        ("return 1\n\nminimum = 'high'", "its minimum is 'high', which is no number"),
    ):
        file.write_text(f"def metric(run):\n    {does}\n")
        with pytest.raises(TurnkeyError, match=rf"The metric .*broken.py failed: {sentence}"):
            quickly(cache, metric=file)


def dynamic_model(path, batch="batch"):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 32])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 32])
    weights = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32)
    weight = onnx.numpy_helper.from_array(weights, "w")
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "g", [x], [y], [weight])
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)
    return path


@pytest.mark.slow
def test_throughput_tries_batches_where_the_model_allows_them(tmp_path):
    file = dynamic_model(tmp_path / "m.onnx")
    assert batched_inputs(file) == ("x",)
    few = {"precision": "fp32", "runtime": "ort", "threads": 1, "budget": "8s"}
    result = tune(file, objective="throughput", cache_dir=tmp_path / "cache", **few)
    tried = {t.configuration.batch for t in result.trials if t.latency}
    assert tried >= {1, 2}
    assert all(t.errors.cosine > 0.9999 for t in result.trials if t.latency)
    fixed = dynamic_model(tmp_path / "f.onnx", 4)
    with pytest.raises(UsageError, match="has a fixed size; leave out --batch"):
        tune(fixed, batch="1,2", cache_dir=tmp_path / "cache", **few)


def turnkey(*words):
    return subprocess.run(
        [sys.executable, "-m", "turnkeyml", *map(str, words)], capture_output=True, text=True
    )


@pytest.mark.parametrize("name", ["net.py", "model.py", "net.onnx", "net"])
def test_a_program_overwrites_nothing_of_the_users(cache, tmp_path, name):
    """``turnkey tune model.onnx -o model.py`` would replace the model by that of the winner."""
    for file in ("net.py", "model.onnx"):
        (tmp_path / file).write_text("mine")
    with pytest.raises(UsageError, match=r"would overwrite|must have a name that ends in .py"):
        quickly(cache, output=tmp_path / name)
    assert (tmp_path / "net.py").read_text() == (tmp_path / "model.onnx").read_text() == "mine"


@pytest.mark.slow
def test_the_command_prints_a_table_and_one_document(cache):
    few = ["--cache-dir", cache, "--runtime", "ort", "--precision", "fp32", "--threads", "1"]
    done = turnkey("tune", "net", *few, "--budget", "1s", "--json")
    document = json.loads(done.stdout)
    assert document["tuning"]["winner"]["runtime"] == "ort"
    assert "(default)" in done.stderr
    assert "A program that runs it:" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing_here"], "There is no build 'nothing_here' in the cache"),
        (["no_such_file.py"], "no_such_file.py"),
        (["net", "--runtime", "torch-eager"], "which tuning does not try; use 'turnkey race'"),
        (["net", "--runtime", "abacus"], "Unknown runtime 'abacus'"),
        ([], "no FILE|BUILD given"),
    ],
)
def test_wrong_words_are_one_sentence(prepared, words, sentence):
    done = turnkey("tune", *words, "--cache-dir", prepared)
    assert done.returncode in (1, 2)
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_script_with_several_models_asks_which_one(tmp_path):
    script = tmp_path / "two.py"
    call = "torch.nn.Linear(8, {n})(torch.randn(2, 8))"
    lines = ["import torch", "torch.manual_seed(0)", call.format(n=4), call.format(n=5)]
    script.write_text("\n".join(lines))
    done = turnkey("tune", script, "--cache-dir", tmp_path / "cache")
    assert done.returncode == 2
    assert "two.py has 2 models; choose one: " in done.stderr
    done = turnkey("tune", f"{script}::00000000", "--cache-dir", tmp_path / "cache")
    assert done.returncode == 1
    assert "No model has the hash 00000000" in done.stderr
