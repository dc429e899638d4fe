"""``turnkey explain`` on a GPU, as far as that can be tested without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.profiler import ProfilerActivity, profile, record_function

from turnkeyml import explain
from turnkeyml.cache import peaks_file, write_json
from turnkeyml.cli import main
from turnkeyml.display import explanation_lines
from turnkeyml.errors import MeasureError
from turnkeyml.explanation import (
    Accelerator,
    account,
    findings_of,
    is_transfer,
    limit_of,
    operators_of,
    peaks_of,
    read_source,
    with_nodes,
)
from turnkeyml.nouns import (
    LAYER,
    Alternative,
    Explanation,
    Finding,
    Operator,
    OperatorTime,
    Peaks,
    Profile,
    TensorShape,
    to_dict,
)
from turnkeyml.runtimes import (
    OUTSIDE,
    PRODUCTS,
    PlainTimes,
    Unprofiled,
    plain_runs,
    profile_context,
)

GPU = "NVIDIA H200"
PEAKS = Peaks(
    GPU,
    0,
    products={"fp32": {"torch": 50e3}, "tf32": {"torch": 400e3}, "fp16": {"torch": 700e3}},
    bandwidths={"4000000": {"copy": 5000.0}, "1000000000": {"copy": 4000.0}},
)
PLAIN = PlainTimes(ms=1.0, host_ms=0.8)
UP = OperatorTime(
    "x to the GPU",
    "Memcpy HtoD",
    0.02,
    inputs=(TensorShape("float32", (1, 3, 224, 224)),),
    outputs=(TensorShape("float32", (1, 3, 224, 224)),),
)


def kernel(node: str, op: str, name: str, dur: int) -> dict[str, Any]:
    """A kernel as ONNX Runtime writes it."""
    facts = {"stream": "13", "grid_x": "1", "block_x": "256", "op_name": op}
    facts["parent_name"] = f"{node}_kernel_time"
    return {
        "cat": "Kernel",
        "pid": -1,
        "tid": -1,
        "dur": dur,
        "ts": 10**6,
        "ph": "X",
        "name": name,
        "args": facts,
    }


@pytest.fixture
def ort_profile(tmp_path: Path) -> Any:
    """A session of ONNX Runtime with its profiler on, and what its profile is on a GPU."""
    onnxruntime = pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper

    kinds = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [64, 64]) for n in "xy"]
    nodes = [
        helper.make_node("MatMul", ["x", "x"], ["m"], name="/net/MatMul"),
        helper.make_node("Sin", ["m"], ["s"], name="/net/Sin"),
        helper.make_node("Abs", ["s"], ["y"], name="/net/Abs"),
    ]
    graph = helper.make_graph(nodes, "g", kinds[:1], kinds[1:])
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)])
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    x = np.ones((64, 64), np.float32)

    def end(with_kernels: bool = True) -> list[dict[str, Any]]:
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
        return list(on_gpu(events, with_kernels))

    def on_gpu(events: list[dict[str, Any]], with_kernels: bool) -> Iterator[dict[str, Any]]:
        times = {"MatMul": (20, 5), "Sin": (3,)}
        for event in events:
            op = event.get("args", {}).get("op_name")
            if op in times and event["args"].get("provider"):
                event["args"]["provider"] = "CUDAExecutionProvider"
            yield event
            if op in times and event["name"].endswith("_kernel_time") and with_kernels:
                node = event["name"].removesuffix("_kernel_time")
                yield from (kernel(node, op, f"{op}_{n}", d) for n, d in enumerate(times[op]))
            if op == "Sin" and event["name"].endswith("_kernel_time") and with_kernels:
                yield kernel("model_run", "", "MemcpyDeviceToHost", 1)

    session.run(None, {"x": x})  # a run that is not timed
    return SimpleNamespace(run=lambda: session.run(None, {"x": x}), end=end)


def test_nodes_of_onnx_runtime_have_the_time_of_their_kernels(ort_profile: Any) -> None:
    from turnkeyml.runtimes import profile_gpu_session

    known = Unprofiled(PLAIN, (UP,), PRODUCTS)
    found = profile_gpu_session(ort_profile.run, ort_profile.end, known, 0.05)
    by_name = {one.name: one for one in found.operators}
    assert by_name["/net/MatMul"].ms == pytest.approx(0.026)  # half a microsecond per kernel
    assert by_name["/net/MatMul"].kernel == "MatMul_0"
    assert by_name["/net/MatMul"].inputs[0].shape == (64, 64)
    assert by_name["/net/Sin"].ms == pytest.approx(0.0035)
    assert by_name["/net/Abs"].provider == "CPUExecutionProvider"
    assert by_name["MemcpyDeviceToHost"].ms == pytest.approx(0.0015)  # of no node
    assert by_name["x to the GPU"] == UP
    assert (found.on_device, found.kernels, found.host_ms) == (True, 5.0, 0.8)
    assert found.outside == OUTSIDE
    assert {span.thread for span in found.spans} == {"host", "GPU"}
    assert not found.notes


def test_an_onnx_runtime_that_does_not_record_kernels_is_named(ort_profile: Any) -> None:
    from turnkeyml.runtimes import profile_gpu_session

    found = profile_gpu_session(
        ort_profile.run, lambda: ort_profile.end(False), Unprofiled(PLAIN), 0.05
    )
    assert (found.on_device, found.by_host) == (False, True)
    assert "does not record what the GPU does" in found.notes[0]


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.head = torch.nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.as_tensor(self.head(torch.relu(self.conv(x)).mean((2, 3))))


def torch_events(model: Net, calls: int = 2) -> list[Any]:
    """A real recording, with the kernels that a GPU would have added to its operators."""
    from turnkeyml.runtimes import RUN, Modules

    with (
        profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded,
        Modules(model).named(),
        torch.no_grad(),
    ):
        for _ in range(calls):
            with record_function(RUN):
                x = torch.empty(1, 3, 8, 8).copy_(torch.rand(1, 3, 8, 8))
                model(x)
    events = list(recorded.events())
    for event in list(events):
        if event.name == "aten::copy_" and event.input_shapes[0] != [1, 3, 8, 8]:
            continue  # of a bias, within an operator
        for name, us in KERNELS.get(event.name, ()):
            event.append_kernel(name, 0, us)
            events.append(on_device(event, name, us))
        if event.name == RUN:
            event.append_kernel(RUN, 0, 999.0)
            events.append(on_device(event, RUN, 999.0))
            events.append(on_device(event, "void cutlass::Kernel<float>(int)", 4.0))
    return events


KERNELS = {
    "aten::copy_": [("Memcpy HtoD (Pinned -> Device)", 7.0)],
    "aten::_convolution": [("cudnn::winograd", 20.0), ("add_bias", 5.0)],
    "aten::addmm": [("gemmSN_TN_kernel", 6.0)],
}


def on_device(event: Any, name: str, us: float) -> Any:
    start = event.time_range.start
    return FunctionEvent(
        id=0, name=name, thread=0, start_us=start, end_us=start + us, device_type=DeviceType.CUDA
    )


def test_operators_of_pytorch_have_the_time_of_their_kernels() -> None:
    from turnkeyml.runtimes import RUN, operators_on_device, weights_of

    model = Net().eval()
    events = torch_events(model)
    runs = [e for e in events if e.name == RUN and e.device_type == DeviceType.CPU]
    found = {o.name: o for o in operators_on_device(events, runs, runs, weights_of(model))}
    assert {name: round(one.ms * 1e3, 3) for name, one in found.items()} == {
        "to the GPU": 7.0,
        "conv: aten::conv2d": 25.0,
        "head: aten::linear": 6.0,
        "void cutlass::Kernel<float>(int)": 4.0,
    }
    conv = found["conv: aten::conv2d"]
    assert (conv.module, conv.kernel, conv.calls) == ("conv", "cudnn::winograd", 1.0)
    assert conv.outputs[0].shape == (1, 4, 6, 6)
    assert found["to the GPU"].op_type == "Memcpy HtoD"
    assert found["void cutlass::Kernel<float>(int)"].op_type == "cutlass::Kernel"


@pytest.mark.filterwarnings("ignore")
def test_a_gpu_of_which_pytorch_records_nothing_is_an_error() -> None:
    from turnkeyml.runtimes import profile_gpu_calls

    model, x = Net().eval(), torch.rand(1, 3, 8, 8)
    with pytest.raises(MeasureError, match="recorded nothing of the GPU"):
        profile_gpu_calls(lambda: model(x), lambda: None, model, 0.1, ())


@pytest.mark.parametrize(
    ("name", "op_type"),
    [
        ("triton_poi_fused_add_relu_3", "Triton pointwise"),
        ("triton_red_fused_mean_0", "Triton reduction"),
        ("aten::addmm", "aten::addmm"),
        (
            "void at::native::vectorized_elementwise_kernel<4, X>(int)",
            "at::native::vectorized_elementwise_kernel",
        ),
        ("ampere_sgemm_32x32_sliced1x4_tn", "ampere_sgemm_32x32_sliced1x4_tn"),
    ],
)
def test_kernels_have_types(name: str, op_type: str) -> None:
    from turnkeyml.runtimes.torch.gpu_profile import _type_of

    assert _type_of(name) == op_type


class Context:
    """A context of TensorRT that reports two layers to its profiler."""

    profiler: Any = None
    enqueue_emits_profile = False

    def run(self) -> None:
        for name, ms in (("conv + relu", 0.02), ("loop", 0.001), ("loop", 0.002)):
            if self.enqueue_emits_profile:
                self.profiler.report_layer_time(name, ms)


class IProfiler:
    def __init__(self) -> None:
        self.begun = True


def test_layers_of_tensorrt_have_the_times_that_it_reports() -> None:
    context = Context()
    trt = SimpleNamespace(IProfiler=IProfiler)
    found = profile_context(trt, context, context.run, Unprofiled(PLAIN, (UP,)), 0.02)
    assert context.profiler.begun
    assert [(o.name, round(o.ms, 6), o.calls) for o in found.operators[:2]] == [
        ("conv + relu", 0.02, 1.0),
        ("loop", 0.003, 2.0),
    ]
    assert {o.op_type for o in found.operators[:2]} == {LAYER}
    assert (found.kernels, found.on_device, found.plain_ms) == (4.0, True, 1.0)


def test_a_tensorrt_that_reports_nothing_is_an_error() -> None:
    trt = SimpleNamespace(IProfiler=IProfiler)
    with pytest.raises(MeasureError, match="reported no layer"):
        profile_context(trt, Context(), lambda: None, Unprofiled(PLAIN), 0.01)


@pytest.fixture(scope="module")
def residual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX file: a convolution, a sum with its input, Relu, and a matrix product."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def weight(name: str, *shape: int) -> Any:
        return numpy_helper.from_array(np.ones(shape, np.float16), name)

    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], name="/body/conv/Conv", pads=[1] * 4),
        helper.make_node("Add", ["c", "x"], ["a"], name="/body/Add"),
        helper.make_node("Relu", ["a"], ["r"], name="/body/act/Relu"),
        helper.make_node("Flatten", ["r"], ["f"], name="/Flatten"),
        helper.make_node("Gemm", ["f", "g"], ["y"], name="/head/Gemm", transB=1),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT16, [1, 8, 4, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT16, [1, 10])
    weights = [weight("w", 8, 8, 3, 3), weight("b", 8), weight("g", 10, 128)]
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    model = helper.make_model(graph, ir_version=9, opset_imports=[helper.make_opsetid("", 17)])
    path = tmp_path_factory.mktemp("residual") / "model.onnx"
    onnx.save(model, path)
    return path


def layers(*names: str) -> Profile:
    made = tuple(OperatorTime(name, LAYER, 0.01) for name in names)
    return Profile("x", 1, 1.0, 1.0, made, on_device=True)


def test_a_layer_is_made_of_the_nodes_in_its_name(residual: Path) -> None:
    source = read_source(residual, with_shapes=True)
    fused = layers("/body/conv/Conv + /body/Add + /body/act/Relu", "/head/Gemm", "something else")
    conv, gemm, other = with_nodes(fused, source).operators
    assert (conv.op_type, conv.module) == ("Conv", "body.conv")
    assert [tuple(t.shape) for t in conv.inputs] == [(1, 8, 4, 4), (8, 8, 3, 3), (8,)]
    assert [t.shape for t in conv.outputs] == [(1, 8, 4, 4)]
    assert gemm.op_type == "Gemm"
    assert other.op_type == LAYER
    known = operators_of(
        replace(fused, operators=(conv, gemm, other)), account(fused, 1.0), PEAKS, source
    )
    flops = {one.name: one.flops for one in known}
    assert flops[conv.name] == 2 * 8 * 16 * 8 * 9
    assert flops[gemm.name] == 2 * 10 * 128
    assert flops["something else"] is None
    assert {one.precision for one in known} == {"fp16", ""}


@pytest.mark.parametrize(
    ("name", "op_type", "shape"),
    [
        ("PWN(/body/act/Relu)", "Relu", (1, 8, 4, 4)),
        ("PWN(PWN(/body/Add), /body/act/Relu)", "Relu", (1, 8, 4, 4)),
        ("Reformatting CopyNode for Input Tensor 0 to /body/conv/Conv", "Reformat", (1, 8, 4, 4)),
        ("Reformatting CopyNode for Output Tensor 0 to /head/Gemm", "Reformat", (1, 10)),
        ("Reformatting CopyNode for Input Tensor 0 to shuffle", "Reformat", None),
        ("{ForeignNode[/body/Add.../head/Gemm]}", "Fused subgraph", None),
    ],
)
def test_names_of_layers(name: str, op_type: str, shape: Any, residual: Path) -> None:
    (found,) = with_nodes(layers(name), read_source(residual, with_shapes=True)).operators
    assert found.op_type == op_type
    assert (found.outputs[0].shape if found.outputs else None) == shape


def test_times_of_a_gpu_are_not_corrected_for_a_slow_host() -> None:
    profiled = replace(layers("a", "b"), plain_ms=2.0, profiled_ms=3.0)
    found = account(profiled, latency=1.0)
    assert found.times == (0.01, 0.01)
    assert found.outside_ms == pytest.approx(0.98)
    assert "50% slower" in found.notes[0]
    too_much = account(profiled, latency=0.01)
    assert sum(too_much.times) == pytest.approx(0.01)
    assert "multiplied by 0.50" in too_much.notes[-1]


def test_products_in_tf32_are_compared_with_the_peak_of_tf32() -> None:
    square = TensorShape("float32", (1024, 1024))
    product = OperatorTime("p", "MatMul", 1.0, inputs=(square, square), outputs=(square,))
    exact = Profile("x", 1, 1.0, 1.0, (product,), on_device=True)
    (found,) = operators_of(exact, account(exact, 1.0), PEAKS, {})
    rounded = replace(exact, tf32=PRODUCTS)
    (faster,) = operators_of(rounded, account(rounded, 1.0), PEAKS, {})
    assert (found.precision, faster.precision) == ("fp32", "tf32")
    assert found.least_ms == pytest.approx(8 * (faster.least_ms or 0.0))


def test_transfers_have_bytes_but_no_peak() -> None:
    profiled = Profile("x", 1, 1.0, 1.0, (UP,), on_device=True)
    (found,) = operators_of(profiled, account(profiled, 1.0), PEAKS, {})
    assert (found.bytes, found.least_ms) == (4 * 3 * 224 * 224, None)
    assert limit_of(found) == "transfers"


def explained(**fields: Any) -> Explanation:
    """A model on a GPU whose kernels take 0.4 of 1 ms."""
    usual = {
        "build_name": "resnet",
        "model": "resnet",
        "device": GPU,
        "runtime": "ort",
        "runtime_version": "1.30",
        "precision": "fp16",
        "threads": 16,
        "created": "",
        "latency": 1.0,
        "latency_low": None,
        "latency_high": None,
        "operators_ms": 0.4,
        "outside_ms": 0.6,
        "outside": OUTSIDE,
        "profiler": "x",
        "profiled_runs": 1,
        "plain_ms": 1.0,
        "profiled_ms": 1.0,
        "profiled_operators_ms": 0.4,
        "in_python": False,
        "resolution_us": 1.0,
        "peaks": PEAKS,
        "accelerator": GPU,
        "kernels": 50.0,
        "host_ms": 0.9,
        "limits": {"overhead": 0.4, "outside": 0.6},
    }
    return findings_of(Explanation(**{**usual, **fields}))


def finding(explanation: Explanation, kind: str) -> Finding:
    return next(one for one in explanation.findings if one.kind == kind)


def test_a_gpu_that_waits_for_the_host_is_found() -> None:
    found = finding(explained(), "launches")
    assert found.text == (
        "The GPU waits for 60% of the time: the host needs 0.9 ms to start 50 kernels and copies."
    )
    assert "18 µs of the host per kernel" in found.evidence
    eager = finding(explained(runtime="torch-eager", in_python=True), "launches")
    assert "torch-compiled" in eager.advice
    assert "reduce-overhead" in finding(explained(runtime="torch-compiled"), "launches").advice
    quick = finding(explained(host_ms=0.1), "launches")
    assert quick.text == "The GPU waits for 60% of the time."
    assert not explained(operators_ms=0.9, outside_ms=0.1).findings


def test_times_of_the_host_are_not_held_against_the_gpu() -> None:
    graph = Alternative("fp16, cuda_graph=true", 16, "fp16", 0.5, setting="cuda_graph=true")
    node = Operator("n", "Conv", 0.9, 0.9, provider="CUDAExecutionProvider")
    limits = {"unknown": 0.9, "outside": 0.1}
    found = explained(by_host=True, operators=(node,), alternatives=(graph,), limits=limits)
    assert [one.kind for one in found.findings] == ["unrecorded", "setting"]
    assert "the host has started everything after 0.9 ms of 1 ms" in found.findings[0].evidence
    assert "use --rt-args cuda_graph=true" in found.findings[0].advice
    shown = "\n".join(explanation_lines(found, 120))
    assert "the host starts operators; the GPU is not recorded" in shown
    assert "Operators on the GPU" not in shown


def test_a_profiler_without_dtypes_gets_those_of_the_weights() -> None:
    from turnkeyml.runtimes import shapes_of, weights_of

    event = SimpleNamespace(input_shapes=[[1, 3, 8, 8], [4, 3, 3, 3], [], [4]])
    found = list(shapes_of(event, weights_of(Net().half())))
    assert [one.dtype for one in found] == ["float16"] * 3
    assert [one.constant for one in found] == [False, True, True]


def test_a_cuda_graph_that_is_faster_is_found() -> None:
    graph = Alternative("fp16, cuda_graph=true", 16, "fp16", 0.5, setting="cuda_graph=true")
    found = explained(alternatives=(graph,))
    assert finding(found, "setting").text == "With cuda_graph=true it is 2.00 times as fast."
    assert "measured: 0.5 ms" in finding(found, "launches").advice
    assert not any(one.kind == "precision" for one in found.findings)


def short(op_type: str = "Conv", **fields: Any) -> Operator:
    usual = {"ms": 0.01, "share": 0.01, "least_ms": 0.001, "provider": "CUDAExecutionProvider"}
    return Operator("n", op_type, **{**usual, **fields})


def test_kernels_that_do_not_fill_the_gpu_are_found() -> None:
    found = finding(explained(operators=(short(),) * 40), "short kernels")
    assert found.text.startswith("40% of the time in 40 operators that take less than 20 µs each")


def test_nodes_on_the_cpu_and_transfers_are_found() -> None:
    copy = short("Memcpy HtoD", ms=0.2, least_ms=None, bytes=6e5, provider="")
    host = short("NonZero", provider="CPUExecutionProvider")
    found = explained(operators=(copy, host, short()))
    assert finding(found, "fallback").text == "1 node of 3 runs on the CPU (NonZero)."
    assert finding(found, "transfers").text.startswith("20% of the time is spent on copies")
    assert "600 kB, 3.0 GB/s" in finding(found, "transfers").evidence


def test_the_text_is_about_the_gpu() -> None:
    text = " ".join("\n".join(explanation_lines(explained(operators=(short(),)))).split())
    assert f"in fp16, on {GPU}" in text
    assert "too little work to fill the GPU" in text
    assert f"Peaks of the {GPU}, measured:" in text
    assert "50000 in fp32, 400000 in tf32" in text


def test_peaks_of_a_gpu_are_kept_by_its_name(tmp_path: Path) -> None:
    write_json(peaks_file(tmp_path, GPU), to_dict(PEAKS))
    told: list[str] = []
    assert peaks_of(tmp_path, 4, Accelerator(GPU), tell=told.append) == PEAKS
    assert not told


@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_peaks_that_nothing_can_measure_say_how_to_get_them(tmp_path: Path) -> None:
    found = peaks_of(tmp_path, 1, Accelerator("a GPU"), tell=lambda text: None)
    assert (found.products, found.bandwidths) == ({}, {})
    assert "Install a PyTorch with CUDA" in found.problems[0]
    assert not peaks_file(tmp_path, "a GPU").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["explain", "x.onnx", "--device", "nvidia", "--runtime", "ort"])
    assert ended.value.code == 1
    assert "cannot be used on nvidia" in capsys.readouterr().err


def test_plain_runs_tell_the_host_from_the_gpu() -> None:
    found = plain_runs(lambda: None, lambda: None, 0.01)
    assert 0 <= found.host_ms <= found.ms


@pytest.mark.slow
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("runtime", ["ort", "torch-eager", "torch-compiled"])
def test_models_are_explained_on_a_gpu(runtime: str, tmp_path: Path) -> None:
    script = Path(__file__).parent.parent / "examples" / "cli" / "scripts" / "hello_world.py"
    write_json(peaks_file(tmp_path, torch.cuda.get_device_name(0)), to_dict(PEAKS))
    (found,) = explain(script, device="nvidia", runtime=runtime, cache_dir=tmp_path)
    assert found.accelerator == torch.cuda.get_device_name(0)
    assert any(is_transfer(one) for one in found.operators)
    assert any(one.kernel for one in found.operators)
    assert found.operators_ms + found.outside_ms == pytest.approx(found.latency)
