"""NVIDIA GPUs, as far as that can be tested without one: what is missing, and what is recorded."""

from __future__ import annotations

import json
import os
import re
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

from turnkeyml.api import system
from turnkeyml.display import build_lines, cautions
from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.measure import (
    DeviceObservation,
    ProcessResult,
    Rule,
    accelerator,
    evaluation_of,
    observe,
    open_session,
    sample,
)
from turnkeyml.nouns import Evaluation, FlagKind, Grade, Verdict, Verification, from_dict, to_dict
from turnkeyml.runtimes import (
    Device,
    LiveModel,
    Need,
    Request,
    Runtime,
    boolean,
    find_device,
    find_runtime,
    place,
    registry,
)
from turnkeyml.runtimes.nvidia import nvml
from turnkeyml.runtimes.nvidia import runtime as gpu_runtime

import_module("turnkeyml.frameworks.torch.modules")  # what tensors are

ON_GPU = ("ort", "torch-eager", "torch-compiled")


class GpuSession:
    """A session that computes nothing and says how long that took on its device."""

    changes_inputs = False
    asynchronous = True

    def feed(self, inputs):
        self.inputs = inputs

    def prepare(self):
        pass

    def run(self):
        self.began = time.perf_counter()

    def synchronize(self):
        while time.perf_counter() < self.began + 2e-4:
            pass

    def outputs(self):
        return {"output": np.zeros(1)}

    def device_times(self, runs):
        return [0.15] * runs

    def device_memory(self):
        return 3 << 20

    def settings(self):
        return {"tf32": True}

    def close(self):
        pass


class GpuMonitor:
    """A GPU that uses 100 W and looks as it is told."""

    def __init__(self, **conditions):
        self.conditions = {"name": "Made-up GPU", "temperature_celsius": 50, **conditions}

    def look(self):
        return dict(self.conditions)

    def energy(self):
        return 100 * time.perf_counter()


DEVICE = Device("made-up", "A device", "made-up", lambda: "Made-up GPU")


@pytest.fixture(autouse=True)
def made_up_device(monkeypatch):
    """What a plugin registers."""
    find_device("nvidia")
    monkeypatch.setitem(registry._devices, DEVICE.name, DEVICE)


class GpuRuntime(Runtime):
    name = "made-up"
    title = "Made up"
    device = "made-up"

    def __init__(self, monitor=None):
        self._monitor = monitor

    def version(self):
        return "1"

    def open(self, request):
        return GpuSession()

    def monitor(self):
        return self._monitor


@pytest.fixture
def short_loops(monkeypatch):
    monkeypatch.setattr(accelerator, "STEADY_SECONDS", 0.05)
    monkeypatch.setattr(accelerator, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(accelerator, "WARM_SECONDS", 0.0)


def evaluated(monitor) -> Evaluation:
    """What is recorded of a made-up GPU, as it would be read from a file."""
    runtime = GpuRuntime(monitor)
    opened = open_session(runtime, Request(threads=1), {})
    rule = Rule.exactly(50)
    (samples,) = sample([opened.meter], rule)
    assert not isinstance(samples, BaseException)
    observation = from_dict(DeviceObservation, json.loads(json.dumps(to_dict(opened.observe()))))
    sitting = ProcessResult(samples, opened.costs(), observation)
    record = evaluation_of([sitting], DEVICE, runtime, 1, rule)
    return from_dict(Evaluation, json.loads(json.dumps(to_dict(record))))


@pytest.mark.usefixtures("short_loops")
def test_device_time_energy_and_memory_are_recorded_and_shown():
    evaluation = evaluated(GpuMonitor())
    performance = evaluation.performance
    assert performance.device_latency == pytest.approx(0.15)
    assert performance.device_latency_low <= 0.15 <= performance.device_latency_high
    assert performance.median_latency > performance.device_latency
    assert 0.019 < performance.energy_per_inference < 2  # 100 W for at least 0.2 ms
    assert evaluation.device_peak_memory_bytes == 3 << 20
    assert evaluation.conditions.accelerator["name"] == "Made-up GPU"
    assert evaluation.measured_performance().device_latency == performance.device_latency
    text = "\n".join(build_lines("a build", [evaluation]))
    assert re.search(r"Device time:    0\.150* ms \(95% interval .*, without transfers\)", text)
    assert "3.0 MB of its memory" in text
    assert "J per inference" in text


@pytest.mark.usefixtures("short_loops")
@pytest.mark.parametrize(
    ("conditions", "kind", "words"),
    [
        ({"throttle_reasons": ["power cap"]}, FlagKind.THROTTLE, r"throttled itself \(power cap\)"),
        ({"foreign_processes": 2}, FlagKind.FOREIGN, "2 processes of others used the accelerator"),
    ],
)
def test_throttling_and_foreign_processes_are_flagged_and_enter_the_grade(conditions, kind, words):
    evaluation = evaluated(GpuMonitor(**conditions))
    (flag,) = [f for f in evaluation.performance.flags if f.kind is kind]
    assert re.search(words, flag.text)
    assert evaluation.grade in (Grade.C, Grade.D)
    assert flag.text in cautions([evaluation])


@pytest.mark.usefixtures("short_loops")
def test_a_quiet_gpu_is_not_flagged():
    quiet = GpuMonitor(throttle_reasons=[], foreign_processes=0)
    kinds = {flag.kind for flag in evaluated(quiet).performance.flags}
    assert not kinds & {FlagKind.THROTTLE, FlagKind.FOREIGN}


@pytest.mark.usefixtures("short_loops")
def test_a_reason_that_was_seen_once_stays_in_the_record():
    monitor = GpuMonitor()
    looks = iter([{"throttle_reasons": ["heat (driver)"], "temperature_celsius": 90}])
    monitor.look = lambda: next(looks, {"throttle_reasons": [], "temperature_celsius": 60})
    found = observe(GpuSession(), monitor).conditions
    assert found == {"throttle_reasons": ["heat (driver)"], "temperature_celsius": 90}


def test_a_session_without_an_accelerator_is_not_observed():
    class OnTheHost:
        """Neither device times nor a monitor."""

    assert observe(OnTheHost(), None) is None


def test_a_runtime_that_rounds_to_tf32_is_judged_in_that_only_if_it_must_be():
    opened = open_session(GpuRuntime(), Request(threads=1), {})
    verdicts = {"fp32": Verdict.CLOSE, "tf32": Verdict.MATCH, "fp16": Verdict.CLOSE}
    asked = []

    def judge(precision):
        asked.append(precision)
        return Verification(verdicts[precision], None, "")

    assert opened.verified(judge, "fp32").verdict is Verdict.MATCH
    assert opened.verified(judge, "fp16").verdict is Verdict.CLOSE
    verdicts["fp32"] = Verdict.MATCH
    opened.verified(judge, "fp32")
    assert asked == ["fp32", "tf32", "fp16", "fp32"]


@pytest.fixture
def no_driver(monkeypatch):
    monkeypatch.setattr(nvml, "LIBRARIES", ("libno-such-nvml.so",))
    nvml._load.cache_clear()
    yield
    nvml._load.cache_clear()


@pytest.mark.usefixtures("no_driver")
@pytest.mark.parametrize("name", ON_GPU)
def test_without_a_driver_one_sentence_says_what_to_install(name):
    with pytest.raises(MeasureError) as caught:
        find_runtime(name, "nvidia").require()
    assert str(caught.value) == (
        f"The runtime {name} cannot be used on nvidia: there is no NVIDIA driver here; "
        "install one from https://www.nvidia.com/drivers."
    )


@pytest.mark.usefixtures("no_driver")
def test_without_a_driver_there_are_no_gpus_and_nothing_to_monitor():
    assert nvml.gpu_names() == []
    assert nvml.find_gpu() is None
    assert find_runtime("torch-eager", "nvidia").monitor() is None


@pytest.mark.usefixtures("no_driver")
@pytest.mark.parametrize("name", ["trt", "ort", "torch-compiled", "torch-eager"])
def test_system_info_names_the_driver_before_what_is_not_installed(monkeypatch, name):
    runtime = find_runtime(name, "nvidia")
    monkeypatch.setattr(type(runtime), "needs", (Need(module="no_such_triton"),))
    found = system._runtime(runtime)
    assert found.missing == ("the Python module no_such_triton",)
    assert found.obstacle.startswith("there is no NVIDIA driver here; install one")
    monkeypatch.setattr(gpu_runtime, "require_gpu", lambda index: None)
    assert system._runtime(runtime).obstacle == ""


def test_a_pytorch_without_cuda_is_blamed(monkeypatch):
    monkeypatch.setattr(gpu_runtime, "require_gpu", lambda index: None)
    if torch.version.cuda is not None:
        pytest.skip("this PyTorch has CUDA")
    with pytest.raises(MeasureError, match="this PyTorch is built without CUDA; install one"):
        find_runtime("torch-eager", "nvidia").check()


def test_an_onnxruntime_without_cuda_is_blamed(monkeypatch):
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this ONNX Runtime has CUDA")
    monkeypatch.setattr(gpu_runtime, "require_gpu", lambda index: None)
    with pytest.raises(MeasureError) as caught:
        find_runtime("ort", "nvidia").check()
    assert str(caught.value) == (
        "onnxruntime has no CUDA provider here; pip install onnxruntime-gpu."
    )


class Driver:
    """NVML with one GPU, as ctypes would call it."""

    reasons = 0x1 | 0x4
    pids = ()

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetCount_v2(self, count):
        count._obj.value = 1
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index, handle):
        return 0 if index.value == 0 else 2

    def nvmlDeviceGetName(self, handle, buffer, length):
        buffer.value = b"NVIDIA Made-up"
        return 0

    def nvmlDeviceGetTotalEnergyConsumption(self, handle, value):
        value._obj.value = 2500
        return 0

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle, value):
        value._obj.value = self.reasons
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, found):
        for place_of, pid in enumerate(self.pids):
            found[place_of].pid = pid
        count._obj.value = len(self.pids)
        return 0


@pytest.fixture
def driver(monkeypatch):
    found = Driver()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(nvml, "_load", lambda: nvml._Nvml(found))
    return found


def test_what_nvml_tells_is_recorded_and_what_it_does_not_is_left_out(driver):
    monitor = nvml.NvmlMonitor(nvml.require_gpu(0))
    found = monitor.look()
    assert found["name"] == "NVIDIA Made-up"
    assert found["throttle_reasons"] == ["power cap"]
    assert "temperature_celsius" not in found
    assert monitor.energy() == 2.5
    assert nvml.gpu_names() == ["NVIDIA Made-up"]


def test_processes_of_others_are_counted_and_our_own_are_not(driver, monkeypatch):
    gpu = nvml.require_gpu(0)
    driver.pids = (os.getpid(), 1)
    assert gpu.foreign_processes() == [1]
    driver.pids = (999_999_999,)  # a container, in which the driver knows us by another number
    assert gpu.foreign_processes() is None


def test_a_gpu_that_does_not_exist_is_named(driver):
    with pytest.raises(MeasureError, match="there is no GPU 3 here: the driver finds 1 GPU,"):
        nvml.require_gpu(3)
    assert nvml.gpu_index("nvidia::3") == 3
    assert nvml.gpu_index("nvidia") == 0


def test_hidden_gpus_do_not_count(driver, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(MeasureError, match="finds no GPU"):
        nvml.require_gpu(0)


def test_bf16_is_for_runtimes_that_cast_live_models(monkeypatch):
    from turnkeyml.api import make_plan

    with pytest.raises(UsageError, match="torch-eager cannot measure in bf16 on x86"):
        make_plan(runtime=["torch-eager"], precision=["bf16"])
    found = find_runtime("torch-eager", "nvidia")
    assert found.casts_live_to == ("fp16", "bf16")


class Small(torch.nn.Module):
    """A parameter that two names share, a buffer, and a tensor that nobody registered."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 4)
        self.second = torch.nn.Linear(4, 4)
        self.second.weight = self.first.weight
        self.register_buffer("offset", torch.full((4,), 1e-9))
        self.scale = torch.tensor(0.1)

    def forward(self, x):
        return self.second(self.first(x)) * self.scale + self.offset


def test_a_model_that_was_cast_comes_back_exactly():
    model = Small()
    own = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    parameter = model.first.weight
    placement = place(model, torch.device("cpu"), torch.float16)
    placement.activate()
    assert model.first.weight is parameter
    assert model.first.weight is model.second.weight
    assert {t.dtype for t in (parameter, model.offset, model.scale)} == {torch.float16}
    model(torch.rand(2, 4).half())
    placement.release()
    assert model.scale.dtype == torch.float32
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, own[name])


def test_a_buffer_that_a_model_replaces_comes_back_and_others_stay_the_same_objects():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))
            self.register_buffer("scale", torch.ones(3))
            self.offset = torch.rand(3)

        def forward(self, x):
            self.count = self.count + 1
            return x * self.scale + self.offset

    model = Counting()
    held = (model.count, model.scale, model.offset)
    placement = place(model, torch.device("cpu"), torch.float16)
    placement.activate()
    assert model.scale is held[1]
    assert model.offset is held[2]
    assert {t.dtype for t in held} == {torch.float16}
    model(torch.rand(2, 3).half())
    placement.restore()
    back = (model.count, model.scale, model.offset)
    assert all(found is own for found, own in zip(back, held, strict=True))
    assert {t.dtype for t in held} == {torch.float32}
    assert model.count.item() == 0
    placement.release()


def test_tensors_of_inference_mode_are_placed_too():
    with torch.inference_mode():
        model = torch.nn.BatchNorm1d(3)
    placement = place(model, torch.device("cpu"), torch.float16)
    placement.activate()
    assert model.running_mean.dtype == torch.float16
    placement.release()
    assert model.running_mean.dtype == torch.float32


def test_contestants_share_a_model_in_two_precisions():
    model, cpu = Small(), torch.device("cpu")
    half = place(model, cpu, torch.float16)
    half.activate()
    brain = place(model, cpu, torch.bfloat16)
    assert place(model, cpu, torch.float16) is half
    brain.activate()
    assert model.first.weight.dtype == torch.bfloat16
    half.activate()
    assert model.first.weight.dtype == torch.float16
    half.release()
    assert model.first.weight.dtype == torch.float16
    half.release()
    brain.release()
    assert model.first.weight.dtype == torch.float32


@pytest.fixture
def cpu_as_gpu(monkeypatch):
    """A PyTorch whose only GPU is the CPU."""
    from turnkeyml.runtimes.torch import gpu_session as module

    class Event:
        def record(self, stream):
            self.at = time.perf_counter()

        def elapsed_time(self, other):
            return 1e3 * (other.at - self.at)

    class Stream:
        def synchronize(self):
            pass

    monkeypatch.setattr(module.torch, "device", lambda *_: torch._C._get_default_device() or "cpu")
    monkeypatch.setattr(torch.cuda, "set_device", lambda index: None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: Stream())
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device: None)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 7)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: None)
    monkeypatch.setattr(module, "_event", Event)
    monkeypatch.setattr(module, "_pinned", torch.empty_like)


@pytest.mark.usefixtures("cpu_as_gpu")
def test_a_live_model_is_cast_measured_and_given_back():
    model, x = Small().eval(), torch.rand(2, 4)
    live = LiveModel(model, (x,), {})
    request = Request(threads=torch.get_num_threads(), live=live, precision="fp16", cast_to="fp16")
    opened = open_session(find_runtime("torch-eager", "nvidia"), request, {})
    (output,) = opened.outputs.values()
    assert output.dtype == np.float32
    assert len(opened.session.device_times(3)) == 3
    assert opened.session.device_memory() == 7
    assert "tf32" in opened.session.settings()
    opened.close()
    assert x.dtype == model.first.weight.dtype == torch.float32
    with torch.no_grad():
        np.testing.assert_allclose(output, model(x).numpy(), atol=2e-3)


@pytest.mark.usefixtures("cpu_as_gpu")
def test_a_model_can_be_run_on_the_cpu_while_its_outputs_are_compared():
    model, x = Small().eval(), torch.rand(2, 4)
    live = LiveModel(model, (x,), {})
    request = Request(threads=torch.get_num_threads(), live=live, precision="fp16", cast_to="fp16")
    opened = open_session(find_runtime("torch-eager", "nvidia"), request, {})
    assert model(x).dtype == torch.float32
    opened.session.run()
    assert model.first.weight.dtype == torch.float16
    opened.close()
    assert model.first.weight.dtype == torch.float32


class Growing(torch.nn.Module):
    """A model that adds to its input and changes another in place."""

    def forward(self, x, past):
        past.append(x)
        x += 1
        return {"sum": x.sum(), "length": len(past), "past": tuple(past)}


@pytest.mark.usefixtures("cpu_as_gpu")
def test_inputs_that_a_run_changes_are_renewed():
    x, past = torch.zeros(3), [torch.ones(2)]
    live = LiveModel(Growing(), (x,), {"past": past})
    opened = open_session(find_runtime("torch-eager", "nvidia"), Request(1, live=live), {})
    assert opened.session.changes_inputs
    for _ in range(3):
        opened.session.prepare()
        opened.session.run()
    found = opened.session.outputs()
    assert [float(a.sum()) for a in found.values()] == [3.0, 2.0, 3.0]
    assert len(past) == 1
    assert not x.any()
    opened.close()


def test_nodes_on_the_cpu_are_counted_from_a_profile(tmp_path: Path):
    pytest.importorskip("onnxruntime")
    from turnkeyml.runtimes import OrtGpuSession, nodes_on_cpu

    def event(name, provider, operator):
        details = {"provider": provider, "op_name": operator}
        return {"cat": "Node", "name": f"{name}_kernel_time", "args": details}

    profile = tmp_path / "profile.json"
    cpu, gpu = "CPUExecutionProvider", "CUDAExecutionProvider"
    events = [event("a", cpu, "Shape"), event("b", gpu, "Conv"), event("c", cpu, "Shape")]
    profile.write_text(json.dumps([{"cat": "Session", "name": "run"}, *events, events[0]]))
    nodes = nodes_on_cpu(str(profile))
    assert nodes == (["Shape", "Shape"], 3)
    assert not profile.exists()
    session = object.__new__(OrtGpuSession)
    session._nodes = nodes
    assert session.stats() == {"CPU nodes": "2 of 3 (Shape 2)"}
    session._nodes = ([], 3)
    assert session.stats() == {"CPU nodes": "0 of 3"}


def test_arguments_that_are_true_or_false():
    assert find_runtime("ort", "nvidia").complete({"cuda_graph": True})["cuda_graph"] is True
    assert find_runtime("ort", "nvidia").complete({"tf32": "false"})["tf32"] is False
    with pytest.raises(ValueError, match="perhaps"):
        boolean("perhaps")


def test_a_session_tells_which_nodes_run_on_the_cpu(tmp_path: Path):
    onnxruntime = pytest.importorskip("onnxruntime")
    import onnx
    from onnx import TensorProto, helper

    from turnkeyml.runtimes import assigned_nodes, session_options

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in ("x", "y"))
    nodes = [helper.make_node("Sin", ["x"], ["s"]), helper.make_node("Abs", ["s"], ["y"])]
    graph = helper.make_graph(nodes, "g", [x], [y])
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, ir_version=9, opset_imports=[opset])
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    session = onnxruntime.InferenceSession(
        path, session_options(1), providers=["CPUExecutionProvider"]
    )
    assert assigned_nodes(session) == (["Sin", "Abs"], 2)
