"""Latency under load on a GPU: what several instances share, and what each has of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests.host_gpu import SHAPE, HostCuda, HostTensorRt
from turnkeyml.api import benchmark_files
from turnkeyml.errors import UsageError
from turnkeyml.measure import LoadWatch, Rule, measure_under_load, open_session
from turnkeyml.nouns import LoadPlan
from turnkeyml.runtimes import (
    INSTANCES,
    LiveModel,
    Request,
    all_runtimes,
    find_runtime,
    instances_of,
)
from turnkeyml.runtimes.nvidia import cuda
from turnkeyml.runtimes.tensorrt import engine as trt_engine
from turnkeyml.runtimes.tensorrt import session as trt_session

import_module("turnkeyml.frameworks.torch.modules")  # what tensors are

X = np.arange(6, dtype=np.float32).reshape(SHAPE)
Loaded = tuple[trt_session.TrtSession, HostTensorRt, HostCuda]


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Loaded]:
    """Opens a session of TensorRT on a GPU that is the host."""

    def load(instances: int | None, **tensorrt: Any) -> Loaded:
        host, library = HostCuda(), HostTensorRt(**tensorrt)
        monkeypatch.setattr(cuda, "library", lambda: host)
        monkeypatch.setattr(trt_session, "load_tensorrt", lambda: library)
        monkeypatch.setattr(trt_session, "logger", lambda: SimpleNamespace(errors=[]))
        known = trt_engine.Known(b"engine", ("y",), {}, 1.0, True)
        monkeypatch.setattr(trt_engine.EngineStore, "find", lambda *_: known)
        request = Request(threads=8, instances=instances)
        gpu = SimpleNamespace(name="host", driver="1")
        session = trt_session.TrtSession(request, 1, gpu)  # type: ignore[arg-type]
        session.feed({"x": X})
        session.run()
        return session, library, host

    return load


def loads(session: Any, clients: int = 6) -> Any:
    plan = LoadPlan(concurrencies=(clients,))
    (point,) = measure_under_load(session, plan, Rule.exactly(60), "fp32")
    return point


def test_every_runtime_of_a_gpu_can_be_measured_under_load() -> None:
    assert {r.name for r in all_runtimes("nvidia") if r.serves} == {
        "trt",
        "ort",
        "torch-eager",
        "torch-compiled",
    }


@pytest.mark.parametrize(("asked", "given"), [(None, 1), (0, INSTANCES), (1, 1), (5, 5)])
def test_a_gpu_has_as_many_instances_as_asked_for(asked: int | None, given: int) -> None:
    assert instances_of(Request(threads=16, instances=asked)) == given


def test_instances_of_tensorrt_are_contexts_of_one_engine(loaded: Callable[..., Loaded]) -> None:
    session, library, _ = loaded(3)
    point = loads(session)
    assert point.load.instances == 3
    assert point.load.threads_per_instance == 1
    assert point.wrong is None
    assert point.load.answers_checked
    (engine,) = library.engines
    streams = [{stream for stream, _ in context.runs} for context in engine.contexts]
    assert [len(own) for own in streams] == [1, 1, 1]
    assert len(set.union(*streams)) == 3
    np.testing.assert_array_equal(session.outputs()["y"], 2 * X + 1)


def test_every_thread_uses_the_gpu_of_its_session(loaded: Callable[..., Loaded]) -> None:
    session, library, host = loaded(2)
    loads(session)
    threads = {thread for context in library.engines[0].contexts for _, thread in context.runs}
    assert len(threads) == 3  # that of each instance, and that which asked for a single answer
    assert {host.devices[thread] for thread in threads} == {1}


@pytest.mark.parametrize(
    ("version", "shape", "engines"),
    [("8.6.1", SHAPE, 1), ("8.6.1", (-1, 3), 3), ("10.3.0", (-1, 3), 1)],
)
def test_tensorrt_8_gets_an_engine_for_each_context_if_shapes_are_open(
    loaded: Callable[..., Loaded], version: str, shape: tuple[int, ...], engines: int
) -> None:
    session, library, _ = loaded(3, version=version, shape=shape)
    assert loads(session).wrong is None
    assert len(library.engines) == engines


def test_a_session_frees_what_its_instances_have(loaded: Callable[..., Loaded]) -> None:
    session, _, host = loaded(4)
    alone = host.blocks
    loads(session)
    assert host.blocks == 4 * alone
    assert session.device_memory() == 4 * 2 * 2 * X.nbytes
    session.close()
    assert not host.blocks
    assert not host.streams


def test_the_record_has_the_instances(loaded: Callable[..., Loaded]) -> None:
    assert "instances" not in loaded(None)[0].settings()
    assert loaded(0)[0].settings()["instances"] == INSTANCES


@pytest.fixture
def cpu_as_gpu(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """A PyTorch whose only GPU is the CPU; the streams that threads have chosen."""
    from turnkeyml.runtimes.torch import gpu_session as module

    chosen: set[str] = set()

    class Stream:
        def __init__(self, device: Any = None) -> None:
            """Nothing is asynchronous here."""

        def synchronize(self) -> None:
            """Does nothing."""

    for name, function in {
        "set_device": lambda index: None,
        "current_stream": Stream,
        "Stream": Stream,
        "set_stream": lambda stream: chosen.add(str(id(stream))),
        "synchronize": lambda device: None,
        "max_memory_allocated": lambda device: 7,
        "empty_cache": lambda: None,
    }.items():
        monkeypatch.setattr(torch.cuda, name, function)
    monkeypatch.setattr(module.torch, "device", lambda *_: "cpu")
    monkeypatch.setattr(module, "_pinned", torch.empty_like)
    return chosen


class Model(torch.nn.Module):
    """A layer whose weights are cast on the device."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


@pytest.mark.parametrize("instances", [1, 4])
def test_instances_of_pytorch_share_the_weights_and_have_streams(
    cpu_as_gpu: set[str], instances: int
) -> None:
    model = Model().eval()
    live = LiveModel(model, (torch.rand(2, 8),), {})
    request = Request(8, live=live, precision="fp16", cast_to="fp16", instances=instances)
    with contextlib.closing(
        open_session(find_runtime("torch-eager", "nvidia"), request, {})
    ) as opened:
        settings = opened.session.settings()
        assert (settings["instances"], settings["threads_per_instance"]) == (
            instances,
            8 // instances,
        )
        point = loads(opened.session)
    assert point.load.instances == instances
    assert point.wrong is None
    assert point.observation is not None
    assert point.observation.peak_memory_bytes == 7
    assert len(cpu_as_gpu) == instances - 1  # the first one keeps the stream that it has
    assert model.layer.weight.dtype == torch.float32


class Monitor:
    """A GPU that takes 100 W."""

    def __init__(self) -> None:
        self.joules = 50.0

    def look(self) -> dict[str, Any]:
        return {"temperature_celsius": 40, "throttle_reasons": ["power cap"]}

    def energy(self) -> float:
        return self.joules


def test_the_energy_of_a_load_is_that_per_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnkeyml.measure.accelerator.STEADY_SECONDS", 0.0)
    monitor, session = Monitor(), SimpleNamespace(device_memory=lambda: 5)
    watch = LoadWatch(session, monitor)  # type: ignore[arg-type]
    monitor.joules += 100
    seen = watch.end(400)
    assert seen is not None
    assert seen.energy_per_inference == 0.25
    assert seen.peak_memory_bytes == 5
    assert seen.conditions["throttle_reasons"] == ["power cap"]
    searched = watch.end(None)
    assert searched is not None
    assert searched.energy_per_inference is None


def test_a_short_load_has_no_energy() -> None:
    monitor = Monitor()
    watch = LoadWatch(SimpleNamespace(), monitor)  # type: ignore[arg-type]
    monitor.joules += 100
    seen = watch.end(400)
    assert seen is not None
    assert seen.energy_per_inference is None


def test_a_processor_is_not_watched() -> None:
    assert LoadWatch(SimpleNamespace(), None).end(5) is None  # type: ignore[arg-type]


@pytest.mark.usefixtures("cpu_as_gpu")
def test_a_compiled_model_has_one_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "compile", lambda function: function)
    runtime = find_runtime("torch-compiled", "nvidia")
    runtime.check_load({}, 0)
    runtime.check_load({}, 1)
    with pytest.raises(UsageError, match="--instances 1"):
        runtime.check_load({}, 2)
    live = LiveModel(Model().eval(), (torch.rand(2, 8),), {})
    session: Any = runtime.open(Request(8, live=live, instances=0))
    assert session.lanes() == [session]
    assert session.settings()["threads_per_instance"] == 8
    session.close()


def test_cuda_graphs_of_onnx_runtime_are_refused_before_anything_is_built(tmp_path: Path) -> None:
    words: dict[str, Any] = {"device": "nvidia", "runtime": "ort", "rate": 10}
    with pytest.raises(UsageError, match="leave out cuda_graph under load"):
        benchmark_files(
            "examples/cli/scripts/hello_world.py",
            rt_args="cuda_graph=true",
            cache_dir=tmp_path / "cache",
            **words,
        )
    assert not (tmp_path / "cache").exists()
