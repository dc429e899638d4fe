"""Our device time and host time beside those of hand-written loops, on an NVIDIA GPU.

    python benchmarks/nvidia.py [--models resnet50 …] [--runtimes trt ort torch-eager …]
                                [--trt-python PATH] [--rounds N] [--json FILE]

Every model has random weights in fp16. For each model and runtime our session and a loop that was
written by hand for the same runtime run in one process, in turns: a slice of ours, a slice of the
loop's, and so on, first host time (inputs to the GPU, inference, outputs back, one synchronisation)
and then device time (events around the inference). Python's garbage collector waits on both sides.
What is printed are the medians and the ratio of ours to the loop's: the median over the rounds, and
its 95% interval. Limits are 3% for host time and 2% for device time.

One model takes about a minute with all runtimes, most of it for exporting and compiling.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import gc
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("resnet50", "bert-base", "vit-base", "whisper-tiny", "unet", "decoder-1b")
RUNTIMES = ("trt", "ort", "torch-eager", "torch-compiled")
DEVICE = "nvidia"
LIMITS = {"host": 0.03, "device": 0.02}
OPSET = 17
"""The newest that TensorRT 8.6 reads: from 18 on, a ReduceMean has its axes as an input."""
SLICE_SECONDS = 0.08
START = """
import runpy, sys
sys.path.append({path!r})
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Another interpreter may be a script that sets its own PYTHONPATH."""
WARM_SECONDS = 1.0
LEAST, MOST = 5, 400
"""Runs in a slice."""
INPUTS, MODEL = "inputs.npz", "model.onnx"


class Loop(NamedTuple):
    """A loop that was written by hand."""

    run: Callable[[], None]
    """One inference with its transfers, done when it returns."""
    device_times: Callable[[int], list[float]]
    """Milliseconds of so many inferences, by events."""


def main() -> int:
    options = _options()
    if options.one:
        return _one(*options.one, rounds=options.rounds)
    rows = []
    print(f"{'model':<14} {'runtime':<15} {'time':<7} {'ours (ms)':>10} {'loop (ms)':>10}  ratio")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for model in options.models:
            for row in _measure(model, options, Path(folder) / model):
                rows.append(row)
                _print(row)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    bad = [row for row in rows if not _is_good(row)]
    print(f"{len(rows) - len(bad)} of {len(rows)} within their limits.")
    return 1 if bad or not rows else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--runtimes", nargs="+", choices=RUNTIMES, default=RUNTIMES)
    parser.add_argument("--trt-python", default=sys.executable, metavar="PATH")
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    parser.add_argument("--folder", help="where exported models go meanwhile")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(model: str, options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of a model: one process for what needs torch and ONNX Runtime, one for TensorRT."""
    folder.mkdir()
    with_torch = [r for r in options.runtimes if r != "trt"]
    exporting = "ort" in options.runtimes or "trt" in options.runtimes
    words = ",".join([*["export"] * exporting, *with_torch])
    yield from _spawn(sys.executable, model, words, folder, options.rounds)
    if "trt" in options.runtimes and (folder / MODEL).exists():
        yield from _spawn(options.trt_python, model, "trt", folder, options.rounds)


def _spawn(
    python: str, model: str, runtimes: str, folder: Path, rounds: int
) -> Iterator[dict[str, Any]]:
    command = [python, "-c", START.format(path=str(ROOT / "src")), str(Path(__file__).resolve())]
    command += ["--rounds", str(rounds)]
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": path}
    if runtimes == "trt" and python != sys.executable:
        environment["PYTHONPATH"] = str(ROOT / "src")  # the other packages are not for its Python
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(
            [*command, "--one", model, runtimes, str(folder)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield json.loads(line)
            else:
                print(f"  {line.rstrip()}", flush=True)
        process.wait()
        errors.seek(0)
        said = errors.read()
    sys.stderr.write(said)
    if process.returncode:
        last = " / ".join(said.strip().splitlines()[-3:])
        reason = f"exit {process.returncode}: {last}"
        failed = {"model": model, "runtime": runtimes, "failed": reason}
        yield failed


def _print(row: dict[str, Any]) -> None:
    if "failed" in row:
        print(f"{row['model']:<14} {row['runtime']:<15} failed: {row['failed']}", flush=True)
        return
    for kind, limit in LIMITS.items():
        names = ("ours", "loop", "ratio", "low", "high")
        ours, loop, ratio, low, high = (row[f"{kind}_{what}"] for what in names)
        verdict = "" if abs(ratio - 1) <= limit else f"  beyond {limit:.0%}"
        print(
            f"{row['model']:<14} {row['runtime']:<15} {kind:<7} {ours:>10.4f} {loop:>10.4f}  "
            f"{ratio:.4f} ({low:.3f} to {high:.3f}){verdict}",
            flush=True,
        )


def _is_good(row: dict[str, Any]) -> bool:
    return "failed" not in row and all(
        abs(row[f"{kind}_ratio"] - 1) <= limit for kind, limit in LIMITS.items()
    )


def _one(model: str, words: str, folder_name: str, rounds: int) -> int:
    """Measure one model with some runtimes in this process; a line of JSON for each."""
    folder, failed = Path(folder_name), False
    runtimes = words.split(",")
    made = _made(model) if runtimes != ["trt"] else None
    for runtime in runtimes:
        try:
            if runtime == "export":
                assert made is not None
                _export(*made, folder)
                continue
            row = {"model": model, "runtime": runtime, **_compare(runtime, made, folder, rounds)}
        except Exception as error:  # noqa: BLE001 - the other runtimes must go on
            import traceback

            traceback.print_exc()
            first = next(iter(str(error).splitlines()), "")
            row = {"model": model, "runtime": runtime, "failed": f"{type(error).__name__}: {first}"}
            failed = failed or runtime == "export"
        print(json.dumps(row), flush=True)
    return int(failed)


def _made(model: str) -> tuple[Any, dict[str, Any]]:
    from nvidia_models import make

    return make(model, "cuda")


def _export(model: Any, inputs: dict[str, Any], folder: Path) -> None:
    """Write the model as ONNX, exported in fp32 and converted to fp16 as builds do it; its inputs.

    What the exporter makes of a model in fp16 has types that ONNX Runtime refuses.
    """
    import torch

    from turnkeyml.build.fp16.convert import convert_to_float16

    begin = time.perf_counter()
    np.savez(folder / INPUTS, **{name: tensor.numpy() for name, tensor in inputs.items()})
    words = {"input_names": [*inputs], "output_names": ["output"], "opset_version": OPSET}
    wide = [t.float() if t.is_floating_point() else t for t in inputs.values()]
    (folder / "fp32").mkdir()
    source = folder / "fp32" / MODEL
    with contextlib.redirect_stdout(sys.stderr):
        exported = copy.deepcopy(model).float()
        torch.onnx.export(exported, (*wide,), str(source), dynamo=False, **words)
        convert_to_float16(source, folder / MODEL)
    print(f"exported in {time.perf_counter() - begin:.0f} s", flush=True)


def _compare(runtime: str, made: Any, folder: Path, rounds: int) -> dict[str, Any]:
    """The medians of ours and of the loop, and their ratios."""
    from turnkeyml.measure.meter import SessionMeter
    from turnkeyml.measure.opening import open_session
    from turnkeyml.runtimes.contract import LiveModel, Request
    from turnkeyml.runtimes.registry import find_runtime

    ours = find_runtime(runtime, DEVICE)
    ours.require_ready()
    inputs: dict[str, np.ndarray] = {}
    if ours.measures_files:
        inputs = dict(np.load(folder / INPUTS))
        request = Request(
            threads=len(os.sched_getaffinity(0)),
            model=str(folder / MODEL),
            precision="fp16",
            arguments=ours.complete({}),
            build_folder=str(folder),
            sha256=hashlib.sha256((folder / MODEL).read_bytes()).hexdigest(),
        )
        loop = None
    else:
        import turnkeyml.frameworks.torch.modules  # noqa: F401 - it tells what a tensor is

        loop = _torch_loop(*made, compiled=runtime != "torch-eager")
        live = LiveModel(made[0], (*made[1].values(),), {})
        request = Request(threads=len(os.sched_getaffinity(0)), live=live, precision="fp16")
    _heat()
    opened = open_session(ours, request, inputs)
    try:
        if loop is None:  # an engine of TensorRT is there by now
            make = _ort_loop if runtime == "ort" else _trt_loop
            loop = make(folder, inputs)
        row = _in_turns(SessionMeter(opened.session), opened.session, loop, rounds)
    finally:
        opened.close()
    return row


def _heat() -> None:
    """Keep the GPU busy: at the clock rate of an idle one cuDNN chooses other kernels, and the
    session that is opened first would get those."""
    from turnkeyml.runtimes import cuda

    stream, size = cuda.Stream(), 1 << 28
    host, device = cuda.PinnedArray((size,), np.dtype(np.uint8)), cuda.DeviceArray(size)
    begin, there = time.perf_counter(), cuda.to_device(host, device, stream)
    while time.perf_counter() - begin < WARM_SECONDS:
        there()
        stream.synchronize()
    device.close()
    host.close()
    stream.close()


def _in_turns(meter: Any, session: Any, loop: Loop, rounds: int) -> dict[str, Any]:
    def ours(runs: int) -> float:
        return float(np.median(meter.take(runs, 1, recovery=3).times)) / 1e6

    def by_hand(runs: int) -> float:
        for _ in range(3):
            loop.run()
        times = []
        for _ in range(runs):
            begin = time.perf_counter_ns()
            loop.run()
            times.append(time.perf_counter_ns() - begin)
        return float(np.median(times)) / 1e6

    def ours_on_device(runs: int) -> float:
        return float(np.median(session.device_times(runs)))

    def by_hand_on_device(runs: int) -> float:
        return float(np.median(loop.device_times(runs)))

    pairs = {"host": (ours, by_hand), "device": (ours_on_device, by_hand_on_device)}
    found: dict[str, Any] = {}
    for kind, (first, second) in pairs.items():
        found.update({f"{kind}_{name}": v for name, v in _rounds(first, second, rounds).items()})
    return found


def _rounds(
    ours: Callable[[int], float], loop: Callable[[int], float], rounds: int
) -> dict[str, float]:
    begin = time.perf_counter()
    while time.perf_counter() - begin < WARM_SECONDS:
        one = loop(LEAST) + ours(LEAST)
    runs = int(min(MOST, max(LEAST, SLICE_SECONDS * 2e3 / one)))
    mine, theirs = [], []
    gc.collect()
    gc.disable()
    for number in range(rounds):
        for side, values in ((ours, mine), (loop, theirs))[:: 1 if number % 2 else -1]:
            values.append(side(runs))
    gc.enable()
    ratios = sorted(a / b for a, b in zip(mine, theirs, strict=True))
    medians = map(statistics.median, (mine, theirs, ratios))
    found = dict(zip(("ours", "loop", "ratio"), medians, strict=True))
    outside = int((rounds - 1.96 * rounds**0.5) / 2)  # of the 95% interval of the median
    return {**found, "low": ratios[max(0, outside)], "high": ratios[min(-1, -1 - outside)]}


def _torch_loop(model: Any, inputs: dict[str, Any], *, compiled: bool) -> Loop:
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

    return Loop(run, device_times)


def _ort_loop(folder: Path, inputs: dict[str, np.ndarray]) -> Loop:
    """ONNX Runtime with everything bound to places on the GPU, and plain calls of CUDA."""
    import onnxruntime

    from turnkeyml.runtimes import cuda

    stream = cuda.Stream()
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
        events = [(cuda.Event(), cuda.Event()) for _ in range(runs)]
        for start, end in events:
            start.record(stream)
            session.run_with_iobinding(binding, waiting)
            end.record(stream)
        stream.synchronize()
        return [end.milliseconds_since(start) for start, end in events]

    run.kept = (kept, target, result)  # type: ignore[attr-defined]
    return Loop(run, device_times)


def _trt_loop(folder: Path, inputs: dict[str, np.ndarray]) -> Loop:
    """TensorRT with the engine that our session has compiled, and plain calls of CUDA."""
    from turnkeyml.runtimes import cuda

    try:
        import tensorrt as trt
    except ImportError:
        import tensorrt_bindings as trt
    (path,) = list(folder.rglob("*.engine"))
    runtime = trt.Runtime(trt.Logger(trt.Logger.ERROR))
    engine = runtime.deserialize_cuda_engine(path.read_bytes())
    context = engine.create_execution_context()
    stream = cuda.Stream()
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
        events = [(cuda.Event(), cuda.Event()) for _ in range(runs)]
        for start, end in events:
            start.record(stream)
            context.execute_async_v3(stream.address)
            end.record(stream)
        stream.synchronize()
        return [end.milliseconds_since(start) for start, end in events]

    run.kept = (runtime, engine, kept)  # type: ignore[attr-defined]
    return Loop(run, device_times)


if __name__ == "__main__":
    sys.exit(main())
