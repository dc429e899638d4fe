"""``turnkey explain``: known bottlenecks are found, and the figures add up."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import bottlenecks
from turnkeyml import UsageError, explain
from turnkeyml.cache import BuildFolder, peaks_file, write_json
from turnkeyml.cli import main
from turnkeyml.display import explanation_lines
from turnkeyml.explanation import (
    SourceNode,
    account,
    bandwidth,
    best_of,
    cost_of,
    findings_of,
    held_to_peaks,
    is_disturbed,
    operators_of,
    peaks_of,
    types_of,
    watched,
)
from turnkeyml.nouns import (
    Alternative,
    Bound,
    Explanation,
    Operator,
    OperatorTime,
    Peaks,
    Profile,
    TensorShape,
    Verdict,
    from_dict,
    to_dict,
)
from turnkeyml.report import explanations_of
from turnkeyml.runtimes import events_of, output_of
from turnkeyml.runtimes.onnxruntime.profile import _with_constants
from turnkeyml.system import machine

F32 = "float32"
PEAKS = Peaks(
    "a machine",
    2,
    products={"fp32": {"onnxruntime": 500.0}, "int8": {"onnxruntime": 2000.0}},
    bandwidths={"1000000": {"triad": 200.0}, "100000000": {"triad": 100.0, "read": 90.0}},
)

FAST = {"1000000": {"read": 400.0}}
"""A bandwidth that one thread reaches on no machine: beyond the peaks, nothing is concluded."""


def status(*words: str) -> object:
    """The exit status of a command."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return ended.value.code


def shape(*sizes: int, dtype: str = F32, constant: bool = False) -> TensorShape:
    return TensorShape(dtype, sizes, constant)


def operator(op_type: str, inputs: list[TensorShape], *outputs: TensorShape) -> OperatorTime:
    return OperatorTime("node", op_type, 1.0, inputs=tuple(inputs), outputs=outputs)


@pytest.mark.parametrize(
    ("one", "flops"),
    [
        (operator("MatMul", [shape(8, 32), shape(32, 16)], shape(8, 16)), 2 * 8 * 16 * 32),
        # ONNX Runtime does not report weights that it has packed.
        (operator("Gemm", [shape(8, 32), shape(16)], shape(8, 16)), 2 * 8 * 16 * 32),
        (operator("MatMul", [shape(4, 8, 32), shape(4, 32, 16)], shape(4, 8, 16)), 32768),
        (operator("FusedMatMul", [shape(9, 4, 8), shape(9, 4, 8)], shape(4, 9, 9)), 5184),
        (operator("aten::addmm", [shape(16), shape(8, 32), shape(32, 16)], shape(8, 16)), 8192),
        (operator("Conv", [shape(1, 3, 8, 8), shape(4, 3, 3, 3)], shape(1, 4, 8, 8)), 13824),
        (operator("Conv", [shape(1, 4, 8, 8), shape(4, 1, 3, 3)], shape(1, 4, 8, 8)), 4608),
        (
            operator("Convolution", [shape(1, 4, 8, 8), shape(4, 1, 1, 3, 3)], shape(1, 4, 8, 8)),
            4608,
        ),
        (operator("Add", [shape(10), shape(10)], shape(10)), 10),
        (operator("LSTM", [shape(5, 2, 8)], shape(5, 1, 2, 16)), 2 * 5 * 2 * 4 * 16 * 24),
        (operator("Transpose", [shape(4, 5)], shape(5, 4)), 0),
    ],
)
def test_arithmetic_follows_from_real_shapes(one: OperatorTime, flops: float) -> None:
    assert cost_of(one).flops == flops


@pytest.mark.parametrize("op_type", ["Loop", "If", "SomethingNew", "Conv", "Einsum"])
def test_a_cost_that_is_not_known_is_never_guessed(op_type: str) -> None:
    cost = cost_of(operator(op_type, [shape(4, 4)], shape(4, 4)))
    assert (cost.flops, cost.bytes) == (None, None)


def test_the_file_tells_what_the_profile_leaves_out() -> None:
    einsum = operator("Einsum", [shape(2, 3), shape(3, 4)], shape(2, 4))
    assert cost_of(einsum, SourceNode({"equation": b"ij,jk->ik"})).flops == 2 * 2 * 3 * 4
    conv = operator("QLinearConv", [shape(1, 3, 8, 8, dtype="uint8")], shape(1, 4, 8, 8))
    weight = SourceNode(weights={3: shape(4, 3, 3, 3, dtype="int8", constant=True)})
    assert cost_of(conv, weight).flops == 13824


def test_weights_count_where_the_runtime_has_packed_them() -> None:
    cost = cost_of(operator("MatMul", [shape(1, 32)], shape(1, 16)))
    assert cost.weight_bytes == 32 * 16 * 4
    assert cost.bytes == (32 + 32 * 16 + 16) * 4


@pytest.mark.parametrize(
    ("shapes", "weights"),
    [
        ([(1, 64, 8, 8), (64, 64, 3, 3), (64,), (1, 64, 8, 8)], [1, 2]),  # a fused sum comes last
        ([(1, 512), (1000,)], [1]),
        ([(4, 4), (4, 4)], [1]),  # of two choices, the later input
        ([(4, 4)], []),
    ],
)
def test_weights_are_the_inputs_that_have_their_size(shapes: Any, weights: list[int]) -> None:
    inputs = [TensorShape("float32", shape) for shape in shapes]
    size = sum(4 * math.prod(shapes[number]) for number in weights)
    found = _with_constants(inputs, size)
    assert [number for number, one in enumerate(found) if one.constant] == weights


def test_bandwidth_lies_between_the_measured_working_sets() -> None:
    assert bandwidth(PEAKS, 1_000) == 200
    assert bandwidth(PEAKS, 10_000_000) == pytest.approx(150)
    assert bandwidth(PEAKS, 1e12) == 100
    assert bandwidth(Peaks("none", 1), 1.0) is None


def test_peaks_of_a_busy_machine_are_recognized() -> None:
    spinning = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spinning) for _ in machine.allowed_processors()]
    try:
        time.sleep(0.2)
        found = watched(lambda: (time.sleep(1.0), PEAKS)[1])
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert is_disturbed(found)
    assert not is_disturbed(PEAKS)


def test_what_a_child_of_ours_uses_is_no_disturbance() -> None:
    work = "import time; end = time.process_time() + 0.5\nwhile time.process_time() < end: pass"

    def measure() -> Peaks:
        subprocess.run([sys.executable, "-c", work], check=True)
        return PEAKS

    idle = watched(lambda: (time.sleep(0.5), PEAKS)[1]).other_cores
    assert watched(measure).other_cores < idle + 0.5


def test_the_next_peaks_correct_those_of_a_busy_machine(tmp_path: Path) -> None:
    slow = {"1000000": {"triad": 0.3}, "9": {"read": 1.0}}
    busy = dataclasses.replace(PEAKS, bandwidths=slow, other_cores=1.5)
    found = best_of(PEAKS, busy)
    assert found.bandwidths["1000000"] == {"triad": 200.0}
    assert found.bandwidths["9"] == {"read": 1.0}
    assert found.other_cores == 0
    quiet = dataclasses.replace(PEAKS, machine=machine.cpu_name(), threads=1)
    write_json(peaks_file(tmp_path, f"{machine.cpu_name()}-1"), to_dict(quiet))
    assert peaks_of(tmp_path, 1, tell=lambda step: None) == quiet


def profile(times: list[float], plain: float, profiled: float) -> Profile:
    made = [OperatorTime(f"n{n}", "Add", ms) for n, ms in enumerate(times)]
    return Profile("a profiler", 10, plain, profiled, tuple(made))


def test_operators_and_the_rest_add_up_to_the_latency() -> None:
    found = account(profile([2.0, 3.0], plain=6.0, profiled=6.2), latency=6.0)
    assert found.times == (2.0, 3.0)
    assert found.outside_ms == pytest.approx(1.0)
    assert not found.notes


def test_what_recording_costs_is_taken_off_and_named() -> None:
    found = account(profile([0.2, 9.9], plain=10.0, profiled=10.6), latency=10.0)
    assert found.times == pytest.approx((0.15, 9.85))
    assert "6% slower" in found.notes[0]


def test_a_machine_that_was_slower_meanwhile_is_corrected_for_and_named() -> None:
    found = account(profile([5.0], plain=10.0, profiled=10.0), latency=5.0)
    assert found.times == (2.5,)
    assert "multiplied by 0.50" in found.notes[0]


def test_operators_too_short_for_the_clock_are_named() -> None:
    tiny = dataclasses.replace(profile([1e-4] * 5, plain=0.1, profiled=0.1), resolution_us=1.0)
    assert account(tiny, latency=0.1).notes[0].startswith("5 of 5 operators are shorter")


def test_the_time_of_a_loop_is_without_that_of_its_body() -> None:
    def event(name: str, op: str, ts: int, dur: int) -> dict[str, object]:
        return {
            "cat": "Node",
            "name": f"{name}_kernel_time",
            "ts": ts,
            "dur": dur,
            "args": {"op_name": op},
        }

    run = {"cat": "Session", "name": "model_run", "ts": 0, "dur": 100}
    events = [
        event("body", "Add", 20, 10),
        event("loop", "Loop", 10, 50),
        event("z", "Add", 70, 5),
        run,
    ]
    assert [(e.key.split("\0")[0], e.own) for e in events_of(events)[0]] == [
        ("loop", 40.0),
        ("body", 10.0),
        ("z", 5.0),
    ]


def test_the_output_of_a_convolution_of_pytorch_follows_from_its_arguments() -> None:
    inputs = [shape(1, 3, 32, 32), shape(8, 3, 3, 3)]
    given = [None, None, None, [2, 2], [1, 1], [1, 1], 1]
    assert output_of("aten::conv2d", inputs, given) == (shape(1, 8, 16, 16),)
    assert output_of("aten::embedding", inputs, given) == ()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that knows the peaks of this machine, so that no test measures them."""
    folder = tmp_path_factory.mktemp("cache")
    for threads in range(1, len(machine.allowed_processors()) + 1):
        peaks = dataclasses.replace(
            PEAKS, machine=machine.cpu_name(), threads=threads, bandwidths=FAST
        )
        write_json(peaks_file(folder, f"{machine.cpu_name()}-{threads}"), to_dict(peaks))
    return folder


@pytest.fixture(scope="module")
def cast_storm(cache: Path) -> Explanation:
    model = bottlenecks.cast_storm(cache / "cast_storm.onnx", size=256)
    (found,) = explain(model, cache_dir=cache, threads=1)
    return found


def test_a_cast_storm_is_found_and_adds_up(cast_storm: Explanation) -> None:
    casts = next(one for one in cast_storm.findings if one.kind == "casts")
    assert "between fp16 and fp32" in casts.text
    assert casts.advice.startswith("export the model in fp32, which the build has no file in")
    assert cast_storm.operators_ms + cast_storm.outside_ms == pytest.approx(cast_storm.latency)
    assert sum(one.ms for one in cast_storm.operators) == pytest.approx(cast_storm.operators_ms)
    assert sum(cast_storm.limits.values()) == pytest.approx(cast_storm.latency)


def test_an_explanation_is_kept_in_the_build_with_a_trace_for_perfetto(
    cache: Path, cast_storm: Explanation
) -> None:
    folder = cache / cast_storm.build_name
    (kept,) = [p for p in (folder / "explanations").glob("*.json") if "trace" not in p.name]
    assert from_dict(Explanation, json.loads(kept.read_text())) == cast_storm
    trace = json.loads((folder / cast_storm.trace).read_text())
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert {event["ph"] for event in trace["traceEvents"]} == {"X", "M"}
    assert [event["name"] for event in events] == [
        name for n in range(12) for name in (f"to_half_{n}", f"to_float_{n}", f"neg_{n}")
    ]
    ends = 0.0
    for event in events:
        assert {"name", "cat", "ts", "dur", "pid", "tid", "args"} <= set(event)
        assert event["ts"] >= ends
        ends = event["ts"] + event["dur"]


def test_the_report_has_the_explanation_but_no_damaged_one(
    cache: Path, cast_storm: Explanation
) -> None:
    folder = BuildFolder(cache, cast_storm.build_name)
    damaged = folder.explanation("x86", "other", "fp32")
    damaged.write_text('{"latency": "fast"}')
    (shown,) = explanations_of(folder)
    assert [one["kind"] for one in shown["findings"]] == [f.kind for f in cast_storm.findings]
    damaged.unlink()


def test_load_on_the_machine_is_said_before_the_findings(cast_storm: Explanation) -> None:
    busy = dataclasses.replace(cast_storm, cautions=("Other programs kept 1.6 of 2 busy.",))
    lines = explanation_lines(busy, 80)
    said = lines.index("Caution: Other programs kept 1.6 of 2 busy.")
    assert said < next(n for n, line in enumerate(lines) if line.startswith("1. "))


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_text_fits_the_terminal(cast_storm: Explanation, width: int) -> None:
    lines = explanation_lines(cast_storm, width)
    assert max(map(len, lines)) <= width
    assert any("Casts between fp16 and fp32" in line for line in lines)


@pytest.mark.slow
def test_one_slow_operator_is_named(cache: Path) -> None:
    model = bottlenecks.slow_operator(cache / "slow_operator.onnx", size=48)
    (found,) = explain(model, cache_dir=cache, threads=1)
    assert found.findings[0].kind == "operator"
    assert "the_slow_one (Resize" in found.findings[0].text


def made(**fields: object) -> Explanation:
    """An explanation of 10 ms without operators."""
    texts = dict.fromkeys(("build_name", "model", "device", "runtime_version", "created"), "x")
    numbers = dict.fromkeys(("latency_low", "latency_high"), None)
    numbers |= dict.fromkeys(
        ("operators_ms", "outside_ms", "plain_ms", "profiled_ms", "profiled_operators_ms"), 0.0
    )
    rest = {"runtime": "ort", "precision": "fp32", "threads": 8, "latency": 10.0, "outside": "x"}
    rest |= {
        "profiler": "x",
        "profiled_runs": 1,
        "resolution_us": 1.0,
        "in_python": False,
        "peaks": PEAKS,
    }
    return Explanation(**{**texts, **numbers, **rest, **fields})  # type: ignore[arg-type]


def kinds(explanation: Explanation) -> list[str]:
    return [finding.kind for finding in findings_of(explanation).findings]


def test_threads_that_do_not_help_are_found() -> None:
    two = Alternative("2 threads", 2, "fp32", 9.9)
    found = findings_of(made(alternatives=(two,)))
    assert found.findings[0].text == "2 threads are as fast as 8."
    assert found.findings[0].advice == "use --threads 2"
    one = Alternative("1 thread", 1, "fp32", 11.0)
    assert "only 1.10 times as fast as 1" in findings_of(made(alternatives=(one,))).findings[0].text
    assert kinds(made(alternatives=(Alternative("1 thread", 1, "fp32", 19.0),))) == []


def test_weights_that_come_from_memory_give_a_bound() -> None:
    (found,) = findings_of(made(weight_bytes=8e8, weights_ms=8.0, flops=4e8)).findings
    assert "(800 MB)" in found.text
    assert "faster than 8 ms here, you are at 80% of that" in found.text


def test_a_faster_precision_of_the_same_build_is_found() -> None:
    other = Alternative("fp32, 8 threads", 8, "fp32", 5.0)
    (found,) = findings_of(made(precision="fp16", alternatives=(other,))).findings
    assert found.text == "fp32 is 2.00 times as fast as fp16 here."


def test_a_faster_precision_that_is_wrong_is_called_so() -> None:
    other = Alternative("int8, 8 threads", 8, "int8", 5.0, verdict=Verdict.MISMATCH)
    (found,) = findings_of(made(alternatives=(other,))).findings
    assert "its outputs are not trusted (mismatch)" in found.evidence


def of_type(op_type: str, ms: float, count: int = 1, **more: Any) -> list[Operator]:
    return [Operator(f"{op_type}_{n}", op_type, ms, ms / 10, **more) for n in range(count)]


def found_in(*operators: Operator, **fields: Any) -> list[str]:
    """The kinds of the findings about a model of 10 ms with these operators."""
    return kinds(made(operators=operators, types=types_of(operators), **fields))


def test_casts_are_avoided_with_the_fp32_file_where_the_build_has_one() -> None:
    half = {"inputs": (shape(4, dtype="float16"),), "outputs": (shape(4),)}
    model = made(precision="fp16", operators=tuple(of_type("Cast", 2.0, 3, **half)))
    (advice,) = (one.advice for one in findings_of(model).findings if one.kind == "casts")
    assert "--precision" not in advice
    other = Alternative("fp32, 8 threads", 8, "fp32", 9.9)
    found = findings_of(dataclasses.replace(model, alternatives=(other,))).findings
    (advice,) = (one.advice for one in found if one.kind == "casts")
    assert advice.startswith("use --precision fp32")


def test_an_operator_of_unknown_cost_is_reported_once() -> None:
    assert found_in(*of_type("NonMaxSuppression", 9.0), *of_type("Add", 0.5)) == ["operator"]
    several = of_type("TopK", 2.5, 3), of_type("Unique", 2.4)
    assert "unknown cost" in found_in(*(one for group in several for one in group))


def test_tiny_operators_are_overhead_and_not_a_bad_implementation() -> None:
    tiny = of_type("Tanh", 0.005, 200, least_ms=1e-6, bound=Bound.MEMORY)
    assert found_in(*tiny, outside_ms=9.0) == ["overhead"]


def test_a_type_is_named_although_one_of_its_operators_is_good() -> None:
    poor = of_type("Conv", 0.9, 10, least_ms=0.1, bound=Bound.COMPUTE)
    good = of_type("Conv", 0.5, 1, least_ms=0.4, bound=Bound.COMPUTE)
    assert found_in(*poor, *good) == ["operator type"]
    assert "operator type" not in found_in(*poor[:1], *good * 5)


def test_overhead_of_python_is_named_for_eager_models() -> None:
    assert kinds(made(in_python=True, outside_ms=6.0)) == ["Python"]
    assert kinds(made(outside_ms=6.0)) == ["overhead"]
    assert kinds(made(outside_ms=1.0)) == []


def profiled(*times: float) -> tuple[Operator, ...]:
    """Matrix products of 1,000 x 1,000 that took so many milliseconds, against ``PEAKS``."""
    weights = [shape(1000, 1000), shape(1000, 1000, constant=True)]
    each = tuple(
        dataclasses.replace(operator("MatMul", weights, shape(1000, 1000)), name=f"m{n}", ms=ms)
        for n, ms in enumerate(times)
    )
    profile = Profile("x", 1, 10.0, 10.0, each)
    return operators_of(profile, account(profile, 10.0), PEAKS, {})


def test_no_conclusion_is_drawn_from_peaks_that_operators_exceed() -> None:
    """At 500 GFLOP/s each of these takes 4 ms."""
    held, why = held_to_peaks(profiled(5.0, 4.9), 10.0)
    assert why == ""
    assert [one.bound for one in held] == [Bound.COMPUTE] * 2
    held, why = held_to_peaks(profiled(9.0, 0.04), 10.0)
    assert why.startswith("Operators with less than 1% of the time ran at up to 100 times the ")
    assert [(one.least_ms, one.bound) for one in held] == [(None, Bound.UNKNOWN)] * 2
    told = findings_of(made(operators=held, types=types_of(held), no_roofline=why, weights_ms=8.0))
    text = "\n".join(explanation_lines(told, 200))
    assert "No roofline: operators with less than 1% of the time ran at up to 100 times" in text
    assert [one.kind for one in told.findings] == ["operator"]
    for conclusion in ("of what it could do", "you are at", "at these peaks", "compute bound"):
        assert conclusion not in text
    assert "operators, without a roofline" in "\n".join(
        explanation_lines(dataclasses.replace(told, limits={"unknown": 9.0}), 200)
    )


def test_peaks_hold_where_only_little_of_the_time_exceeds_them() -> None:
    small = of_type("Add", 0.1, 5, least_ms=0.2, bound=Bound.MEMORY)
    held, why = held_to_peaks(tuple(small), 10.0)
    assert (held, why) == (tuple(small), "")
    many = of_type("Add", 0.3, 5, least_ms=0.5, bound=Bound.MEMORY)
    assert held_to_peaks(tuple(many), 10.0)[1].startswith("Operators with 15% of the time")


def test_nodes_on_the_cpu_of_an_accelerator_are_counted() -> None:
    operators = tuple(
        Operator(f"n{n}", "Gather", 1.0, 0.1, provider=provider, least_ms=1.0, bound=Bound.MEMORY)
        for n, provider in enumerate(["CPUExecutionProvider"] * 2 + ["CUDAExecutionProvider"])
    )
    found = findings_of(made(operators=operators)).findings
    assert "2 nodes of 3 run on the CPU (Gather)." in [one.text for one in found]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["explain"], "no BUILD|FILE given"),
        (["explain", "nothing_00000000"], "There is no build 'nothing_00000000'"),
        (["explain", "missing.onnx"], "missing.onnx"),
        (["explain", "x", "--runtime", "nope"], "nope"),
        (["explain", "x", "--trace", "no/folder/trace.json"], "there is no folder no/folder"),
    ],
)
def test_a_wrong_command_says_what_is_wrong(
    words: list[str], message: str, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = ["-d", str(cache)] if len(words) > 1 else []
    assert status(*words, *extra) in (1, 2)
    assert message in capsys.readouterr().err


def test_what_was_exported_in_another_precision_says_so(
    cache: Path, cast_storm: Explanation
) -> None:
    from turnkeyml import TurnkeyError

    for target in (cast_storm.build_name, cache / "cast_storm.onnx"):
        with pytest.raises(TurnkeyError, match="in fp32: the original is in mixed precision"):
            explain(target, cache_dir=cache, precision="fp32")
    with pytest.raises(TurnkeyError, match=r"has no file in int8.*with --precision int8|mixed"):
        explain(cast_storm.build_name, cache_dir=cache, precision="int8")


def test_the_command_prints_one_document_and_saves_the_trace(
    cache: Path, cast_storm: Explanation, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.json"
    words = ["explain", cast_storm.build_name, "-d", str(cache), "--threads", "1", "--json"]
    command = [sys.executable, "-m", "turnkeyml", *words, "--trace", str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert document["explanations"][0]["build_name"] == cast_storm.build_name
    assert json.loads(trace.read_text())["traceEvents"]


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["torch-eager", "torch-compiled"])
def test_live_models_are_explained_by_the_profiler_of_pytorch(runtime: str, cache: Path) -> None:
    script = Path(__file__).parent.parent / "examples" / "cli" / "scripts" / "hello_world.py"
    (found,) = explain(script, cache_dir=cache, runtime=runtime, threads=1)
    assert found.operators
    assert found.operators_ms + found.outside_ms == pytest.approx(found.latency)
    assert found.in_python == (runtime == "torch-eager")


@pytest.mark.slow
def test_openvino_is_explained_by_its_counters(cache: Path) -> None:
    model = bottlenecks.compute_bound(cache / "compute_bound.onnx", size=256)
    (found,) = explain(model, cache_dir=cache, runtime="openvino", threads=1)
    assert sum(one.flops or 0 for one in found.operators) == 2 * 2 * 256**3
    assert found.operators_ms + found.outside_ms == pytest.approx(found.latency)


@pytest.mark.slow
def test_tiny_operators_are_found(cache: Path) -> None:
    model = bottlenecks.tiny_operators(cache / "tiny.onnx")
    (found,) = explain(model, cache_dir=cache, threads=1)
    assert "overhead" in [finding.kind for finding in found.findings]


def on_a_machine_that_allows(found: Explanation, share: float) -> Explanation:
    """The same, if memory were so fast that the weights alone took this share of the latency.

    Whatever else the machine does makes a run slower than the peaks say, so that the measured
    bandwidth would make this a test of its load.
    """
    factor = share * found.latency / found.weights_ms
    scaled = tuple(
        dataclasses.replace(one, least_ms=one.least_ms * factor) if one.least_ms else one
        for one in found.operators
    )
    return findings_of(
        dataclasses.replace(found, weights_ms=found.weights_ms * factor, operators=scaled)
    )


@pytest.mark.slow
def test_a_model_whose_weights_come_from_memory_is_found(cache: Path) -> None:
    model = bottlenecks.memory_bound(cache / "memory_bound.onnx", 2048, 4096, layers=3)
    (found,) = explain(model, cache_dir=cache, threads=1)
    assert found.weight_bytes == 3 * 2048 * 4096 * 4
    assert found.flops == 3 * 2 * 2048 * 4096
    assert found.weights_ms == pytest.approx(found.weight_bytes / 400e9 * 1e3)
    assert {one.bound for one in found.operators} == {Bound.MEMORY}
    assert sum(one.share for one in found.operators) > 0.8
    (close,) = on_a_machine_that_allows(found, 0.8).findings
    assert close.kind == "weights"
    assert close.text.endswith("you are at 80% of that.")
    far = [one.kind for one in on_a_machine_that_allows(found, 0.2).findings]
    assert "weights" not in far
    assert "operator type" in far or "operator" in far


@pytest.mark.slow
def test_too_many_threads_are_found(cache: Path) -> None:
    model = bottlenecks.tiny_operators(cache / "threads.onnx", count=60)
    many = 4 * len(machine.allowed_processors())
    (found,) = explain(model, cache_dir=cache, threads=many)
    assert "threads" in [finding.kind for finding in found.findings]


@pytest.mark.slow
def test_peaks_are_measured_and_survive_a_precision_that_kills(tmp_path: Path) -> None:
    steps: list[str] = []
    found = peaks_of(tmp_path, 1, tell=steps.append)
    assert found.product("fp32")
    assert len(found.points()) > 2
    quiet = dataclasses.replace(found, other_cores=0.0)
    write_json(peaks_file(tmp_path, f"{machine.cpu_name()}-1"), to_dict(quiet))
    assert peaks_of(tmp_path, 1, tell=steps.append) == quiet
    assert len(steps) == 1
    with pytest.raises(UsageError):
        explain("x", cache_dir=tmp_path, precision="nope")
