"""One side of benchmarks/nvidia.py: our sessions, or loops that were written by hand.

    python nvidia_sides.py ours|loop MODEL FOLDER [RUNTIME]

It imports what the runtime needs, and does what it is told, a line of JSON at a time. Python's
garbage collector waits on both sides.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import gc
import hashlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

DEVICE = "nvidia"
OPSET = 17
"""The newest that TensorRT 8.6 reads: from 18 on, a ReduceMean has its axes as an input."""
BUILDER_LEVEL = {"unet": 0, "decoder-1b": 0}
"""How long TensorRT searches for kernels: at its own level more than six minutes for these, at
level 1 more than four. Both sides use the same engine."""
WARM_SECONDS = 0.3
HEAT_SECONDS = 0.5
RECOVERY = 3
"""Runs before each slice that do not count, as the other side has just run."""
INPUTS, MODEL = "inputs.npz", "model.onnx"


class Runs(NamedTuple):
    """Something that can be timed."""

    run: Callable[[], Any]
    """One inference with its transfers, done when it returns."""
    device_times: Callable[[int], list[float]]
    """Milliseconds of so many inferences, by events."""
    close: Callable[[], None] = lambda: None
    """Gives back what nobody would miss otherwise."""
    change: Callable[[], Any] = lambda: None
    """Changes the inputs before a run, as a measurement does; not timed."""


class Side:
    """What the lines ask for."""

    def __init__(self, side: str, model: str, folder: str) -> None:
        self._is_ours = side == "ours"
        self._model, self._folder = model, Path(folder)
        self._runs: Runs | None = None
        self._processors = os.sched_getaffinity(0)

    def prepare(self, what: str) -> str:
        """Export the model, or compile it for a runtime, which keeps what it has compiled."""
        begin = time.perf_counter()
        if what == "export":
            _export(*self._made, self._folder)
        else:
            self.make(what)
            self.open(what)
            self.forget()
        return f"{what} in {time.perf_counter() - begin:.0f} s"

    def make(self, runtime: str) -> None:
        """Make the live model, for runtimes that have one."""
        if runtime.startswith("torch"):
            assert self._made

    @functools.cached_property
    def _made(self) -> tuple[Any, dict[str, Any]]:
        from nvidia_models import make

        return make(self._model, "cuda")

    def open(self, runtime: str) -> None:
        if runtime == "ort":
            _heat()
        if self._is_ours:
            made = self._made if runtime.startswith("torch") else None
            level = BUILDER_LEVEL.get(self._model) if runtime == "trt" else None
            self._runs = _ours(runtime, made, self._folder, level)
        elif runtime.startswith("torch"):
            self._runs = _torch_loop(*self._made, compiled=runtime != "torch-eager")
        else:
            loop = _ort_loop if runtime == "ort" else _trt_loop
            self._runs = loop(self._folder, dict(np.load(self._folder / INPUTS)))

    def warm_up(self, kind: str) -> float:
        """Run for a while on the processor of both sides; milliseconds of one run."""
        os.sched_setaffinity(0, {sorted(self._processors)[len(self._processors) // 2]})
        begin = time.perf_counter()
        while time.perf_counter() - begin < WARM_SECONDS:
            one = self.take(kind, 5)
        return one

    def take(self, kind: str, runs: int) -> float:
        """The median of so many runs, in milliseconds."""
        assert self._runs is not None
        if kind == "device":
            return float(np.median(self._runs.device_times(runs + RECOVERY)[RECOVERY:]))
        run, times = self._runs.run, []
        for _ in range(RECOVERY):
            run()
        for _ in range(runs):
            self._runs.change()
            begin = time.perf_counter_ns()
            run()
            times.append(time.perf_counter_ns() - begin)
        return float(np.median(times)) / 1e6

    def forget(self) -> None:
        """Free what has been opened; the thread may use all processors again."""
        os.sched_setaffinity(0, self._processors)
        if self._runs is not None:
            self._runs.close()
        self._runs = None
        gc.collect()
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.empty_cache()


def main() -> None:
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    side = Side(*sys.argv[1:4])
    if sys.argv[4:] and sys.argv[4].startswith("torch"):
        import nvidia_models  # noqa: F401 - it takes seconds
    gc.collect()
    gc.disable()
    for line in sys.stdin:
        words = json.loads(line)
        try:
            reply = {"answer": getattr(side, words.pop("do"))(**words)}
        except Exception as error:  # noqa: BLE001 - whoever asked goes on with the next runtime
            traceback.print_exc()
            first = next(iter(str(error).splitlines()), "")
            reply = {"failed": f"{type(error).__name__}: {first}"}
        print(json.dumps(reply), file=replies, flush=True)


def _export(model: Any, inputs: dict[str, Any], folder: Path) -> None:
    """Write the model as ONNX, exported in fp32 and converted to fp16 as builds do it; its inputs.

    What the exporter makes of a model in fp16 has types that ONNX Runtime refuses.
    """
    import torch

    from turnkeyml.build import convert_to_float16

    np.savez(folder / INPUTS, **{name: tensor.numpy() for name, tensor in inputs.items()})
    words = {"input_names": [*inputs], "output_names": ["output"], "opset_version": OPSET}
    wide = [t.float() if t.is_floating_point() else t for t in inputs.values()]
    (folder / "fp32").mkdir()
    source = folder / "fp32" / MODEL
    with contextlib.redirect_stdout(sys.stderr):
        exported = copy.deepcopy(model).float()
        torch.onnx.export(exported, (*wide,), str(source), dynamo=False, **words)
        convert_to_float16(source, folder / MODEL)


def _heat() -> None:
    """Keep the GPU busy: at the clock rate of an idle one cuDNN chooses other kernels."""
    from turnkeyml.runtimes.nvidia import cuda

    stream, size = cuda.CudaStream(), 1 << 28
    host, device = cuda.PinnedArray((size,), np.dtype(np.uint8)), cuda.DeviceArray(size)
    begin, there = time.perf_counter(), cuda.to_device(host, device, stream)
    while time.perf_counter() - begin < HEAT_SECONDS:
        there()
        stream.synchronize()
    device.close()
    host.close()
    stream.close()


def _ours(runtime: str, made: Any, folder: Path, level: int | None) -> Runs:
    """The session that a measurement would time, with inputs that change as there."""
    from turnkeyml.measure import FreshInputs, open_session
    from turnkeyml.runtimes import LiveModel, Request, find_runtime

    ours = find_runtime(runtime, DEVICE)
    ours.require_ready()
    threads = len(os.sched_getaffinity(0))
    inputs: dict[str, np.ndarray] = {}
    if made is None:
        inputs = dict(np.load(folder / INPUTS))
        request = Request(
            threads=threads,
            model=str(folder / MODEL),
            precision="fp16",
            arguments=ours.complete({} if level is None else {"builder_level": level}),
            build_folder=str(folder),
            sha256=hashlib.sha256((folder / MODEL).read_bytes()).hexdigest(),
        )
    else:
        import turnkeyml.frameworks.torch.modules  # noqa: F401 - it tells what a tensor is

        live = LiveModel(copy.deepcopy(made[0]), (*made[1].values(),), {})
        request = Request(threads=threads, live=live, precision="fp16")
    opened = open_session(ours, request, inputs)
    session: Any = opened.session
    arrays = inputs.values() if made is None else [t.numpy() for t in made[1].values()]
    varied = [n for n, a in enumerate(arrays) if a.dtype.kind == "f" and a.size > 1]
    fresh = FreshInputs(session, inputs, varied, sum(a.nbytes for a in arrays))

    def run() -> None:
        session.run()
        session.synchronize()

    return Runs(run, session.device_times, opened.close, fresh.change_next)


def _torch_loop(model: Any, inputs: dict[str, Any], *, compiled: bool) -> Runs:
    import torch

    module = copy.deepcopy(model).to("cuda")
    function = torch.compile(module) if compiled else module
    hosts = [tensor.pin_memory() for tensor in inputs.values()]
    on_gpu = [tensor.cuda() for tensor in hosts]
    with torch.no_grad():
        result = function(*on_gpu)
    target = torch.empty(result.shape, dtype=result.dtype, pin_memory=True)

    def run() -> None:
        for device, host in zip(on_gpu, hosts, strict=True):
            device.copy_(host, non_blocking=True)
        with torch.no_grad():
            found = function(*on_gpu)
        target.copy_(found, non_blocking=True)
        torch.cuda.synchronize()

    def device_times(runs: int) -> list[float]:
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
        for start, end in events:
            start.record()
            with torch.no_grad():
                function(*on_gpu)
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in events]

    return Runs(run, device_times)


def _ort_loop(folder: Path, inputs: dict[str, np.ndarray]) -> Runs:
    """ONNX Runtime with everything bound to places on the GPU, and plain calls of CUDA."""
    import onnxruntime

    from turnkeyml.runtimes.nvidia import cuda

    stream = cuda.CudaStream()
    settings = {"device_id": "0", "user_compute_stream": str(stream.address), "use_tf32": "0"}
    session = onnxruntime.InferenceSession(
        str(folder / MODEL), providers=[("CUDAExecutionProvider", settings), "CPUExecutionProvider"]
    )
    binding = session.io_binding()
    kept: list[Any] = []
    ins: list[Callable[[], int]] = []
    for name, array in inputs.items():
        host = cuda.PinnedArray(array.shape, array.dtype)
        host.array[...] = array
        device = cuda.DeviceArray(host.nbytes)
        binding.bind_input(name, "cuda", 0, array.dtype.type, array.shape, device.address)
        kept += [host, device]
        ins.append(cuda.to_device(host, device, stream))
        ins[-1]()
    stream.synchronize()
    (kind,) = session.get_outputs()
    binding.bind_output(kind.name, "cuda", 0)
    session.run_with_iobinding(binding)
    shape = tuple(binding.get_outputs()[0].shape())
    dtype = np.dtype({"tensor(float16)": np.float16, "tensor(float)": np.float32}[kind.type])
    target = cuda.PinnedArray(shape, dtype)
    result = cuda.DeviceArray(target.nbytes)
    binding.bind_output(kind.name, "cuda", 0, dtype.type, shape, result.address)
    out = cuda.to_host(result, target, stream)
    waiting = onnxruntime.RunOptions()
    waiting.add_run_config_entry("disable_synchronize_execution_providers", "1")

    def run() -> None:
        for copy_in in ins:
            copy_in()
        session.run_with_iobinding(binding, waiting)
        out()
        stream.synchronize()

    def device_times(runs: int) -> list[float]:
        events = [(cuda.CudaEvent(), cuda.CudaEvent()) for _ in range(runs)]
        for start, end in events:
            start.record(stream)
            session.run_with_iobinding(binding, waiting)
            end.record(stream)
        stream.synchronize()
        return [end.milliseconds_since(start) for start, end in events]

    run.kept = (kept, target, result)  # type: ignore[attr-defined]
    return Runs(run, device_times)


def _trt_loop(folder: Path, inputs: dict[str, np.ndarray]) -> Runs:
    """TensorRT with the engine that our session has compiled, and plain calls of CUDA."""
    from turnkeyml.runtimes.nvidia import cuda

    try:
        import tensorrt as trt
    except ImportError:
        import tensorrt_bindings as trt
    (path,) = list(folder.rglob("*.engine"))
    runtime = trt.Runtime(trt.Logger(trt.Logger.ERROR))
    engine = runtime.deserialize_cuda_engine(path.read_bytes())
    context = engine.create_execution_context()
    stream = cuda.CudaStream()
    ins: list[Callable[[], int]] = []
    outs: list[Callable[[], int]] = []
    kept: list[Any] = []
    for number in range(engine.num_io_tensors):
        name = engine.get_tensor_name(number)
        is_input = engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT
        if is_input:
            context.set_input_shape(name, inputs[name].shape)
        dtype = np.dtype(trt.nptype(engine.get_tensor_dtype(name)))
        host = cuda.PinnedArray(tuple(context.get_tensor_shape(name)), dtype)
        device = cuda.DeviceArray(host.nbytes)
        context.set_tensor_address(name, device.address)
        kept += [host, device]
        if is_input:
            host.array[...] = inputs[name]
            ins.append(cuda.to_device(host, device, stream))
        else:
            outs.append(cuda.to_host(device, host, stream))

    def run() -> None:
        for copy_in in ins:
            copy_in()
        context.execute_async_v3(stream.address)
        for copy_out in outs:
            copy_out()
        stream.synchronize()

    def device_times(runs: int) -> list[float]:
        events = [(cuda.CudaEvent(), cuda.CudaEvent()) for _ in range(runs)]
        for start, end in events:
            start.record(stream)
            context.execute_async_v3(stream.address)
            end.record(stream)
        stream.synchronize()
        return [end.milliseconds_since(start) for start, end in events]

    run.kept = (runtime, engine, kept)  # type: ignore[attr-defined]
    return Runs(run, device_times)


if __name__ == "__main__":
    main()
