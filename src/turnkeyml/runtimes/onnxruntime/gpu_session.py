"""ONNX Runtime sessions on a GPU, and the options and libraries that they need."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime

from turnkeyml.cache import BFLOAT16, fed
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Profile
from turnkeyml.runtimes.nvidia import cuda
from turnkeyml.runtimes.nvidia.profile import PRODUCTS, Copy, Unprofiled, copy_times, plain_runs
from turnkeyml.runtimes.onnxruntime.session import dtype_of, unsound_optimizers
from turnkeyml.runtimes.onnxruntime.settings import (
    CPU,
    RECORD_PLACEMENT,
    TELLS_NODES,
    assigned_nodes,
    nodes_on_cpu,
)

CUDA = "CUDAExecutionProvider"
LIBRARIES = ("cudart", "nvJitLink", "nvrtc", "cublasLt", "cublas", "cufft", "curand", "cudnn")
"""What the CUDA provider needs, in the order in which they need each other."""
NO_PROVIDER = "onnxruntime has no CUDA provider here; pip install onnxruntime-gpu."
NOT_LOADED = (
    "onnxruntime cannot load its CUDA provider, so that it would run on the CPU; "
    "pip install 'onnxruntime-gpu[cuda,cudnn]', or see what its log says is missing."
)
OPERATORS_SHOWN = 6
_BFLOAT16 = 16
"""The number of the type in ONNX; numpy has none."""


class OrtGpuSession:
    """A session whose inputs and outputs have fixed places in the memory of a GPU.

    A run copies the inputs from pinned memory, computes, and copies the outputs to pinned memory,
    all in one stream of ours; it returns before that is done.
    """

    changes_inputs = False
    asynchronous = True

    def __init__(
        self,
        model: str,
        threads: int,
        index: int,
        *,
        cuda_graph: bool = False,
        tf32: bool = False,
        profile: str = "",
        instances: int | None = None,
    ) -> None:
        """``threads`` are for nodes on the CPU. With ``instances`` it has as many ``lanes``;
        ``profile`` is the beginning of the path of a file for ONNX Runtime's profiler."""
        if CUDA not in onnxruntime.get_available_providers():
            raise MeasureError(NO_PROVIDER)
        load_libraries()
        cuda.set_device(index)
        self._index, self._stream = index, cuda.CudaStream()
        self._again = functools.partial(OrtGpuSession, model, threads, index, tf32=tf32)
        self._is_profiled = bool(profile)
        self._twin: OrtGpuSession | None = None
        self._free_before = self._least_free = cuda.free_memory()
        unsound = unsound_optimizers(model)
        given = {
            "device_id": str(index),
            "user_compute_stream": str(self._stream.address),
            "enable_cuda_graph": str(int(cuda_graph)),
            "use_tf32": str(int(tf32)),
        }
        options = session_options(threads, profile)
        self._session = onnxruntime.InferenceSession(
            model, options, providers=[(CUDA, given), CPU], disabled_optimizers=unsound
        )
        if CUDA not in self._session.get_providers():
            raise MeasureError(NOT_LOADED)
        self._settings = {
            "providers": self._session.get_providers(),
            "provider_options": self._provider_options(),
            "intra_op_num_threads": threads,
            "io_binding": "device",
            "cuda_graph": cuda_graph,
            "tf32": tf32,
        }
        if unsound:
            self._settings["disabled_optimizers"] = unsound
        if instances is not None:
            self._settings |= {"instances": instances, "sessions": instances}
            self._settings["threads_per_instance"] = threads
        self._instances, self._others = instances or 1, cast("list[OrtGpuSession]", [])
        self._fed: Mapping[str, np.ndarray] = {}
        self._inputs: dict[str, _Buffer] = {}
        self._outputs: dict[str, _Buffer] = {}
        self._nodes: tuple[list[str], int] | None = None
        self._binding = self._session.io_binding()
        self._asynchronously = run_options(synchronize=False)
        self._outside_graph = run_options(synchronize=True, graph=False)

    def _provider_options(self) -> dict[str, str]:
        found = self._session.get_provider_options().get(CUDA, {})
        return {name: value for name, value in found.items() if name != "user_compute_stream"}

    def lanes(self) -> list[OrtGpuSession]:
        """Sessions that can run at the same time, this one first: a session belongs to one stream,
        so that each has the weights once more."""
        self._others += [self._another() for _ in range(self._instances - 1)]
        return [self, *self._others]

    def _another(self) -> OrtGpuSession:
        other = self._again(cuda_graph=bool(self._settings["cuda_graph"]))
        other.feed(self._fed)
        return other

    def attach(self) -> None:
        """Let this thread use its GPU."""
        cuda.set_device(self._index)

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        self._fed = inputs
        wanted = {value.name: dtype_of(value) for value in self._session.get_inputs()}
        values = fed(inputs, wanted)
        if {n: v.shape for n, v in values.items()} != {n: b.shape for n, b in self._inputs.items()}:
            self._close(self._inputs)
            self._inputs = {n: self._buffer(v.shape, v.dtype, True) for n, v in values.items()}
        for name, value in values.items():
            self._inputs[name].host.array[...] = value
            _check(self._inputs[name].copy())
        self._stream.synchronize()
        self._place_outputs()
        self._binding = self._session.io_binding()
        self._bind_inputs(self._binding)
        for kind in self._session.get_outputs():
            buffer = self._outputs[kind.name]
            place = ("cuda", self._index, _element_type(kind), buffer.shape, buffer.device.address)
            self._binding.bind_output(kind.name, *place)

    def _bind_inputs(self, binding: Any) -> None:
        for kind in self._session.get_inputs():
            buffer = self._inputs[kind.name]
            place = ("cuda", self._index, _element_type(kind), buffer.shape, buffer.device.address)
            binding.bind_input(kind.name, *place)

    def _place_outputs(self) -> None:
        """Memory for the outputs, whose shapes are known after a run that allocates them itself."""
        binding = self._session.io_binding()
        self._bind_inputs(binding)
        kinds = self._session.get_outputs()
        for kind in kinds:
            binding.bind_output(kind.name, "cuda", self._index)
        self._session.run_with_iobinding(binding, self._outside_graph)
        if self._nodes is None and not self._is_profiled:
            self._nodes = assigned_nodes(self._session) or nodes_on_cpu(
                self._session.end_profiling()
            )
        shapes = [tuple(value.shape()) for value in binding.get_outputs()]
        if shapes == [buffer.shape for buffer in self._outputs.values()]:
            return
        self._close(self._outputs)
        self._outputs = {
            kind.name: self._buffer(shape, _numpy_dtype(kind), False)
            for kind, shape in zip(kinds, shapes, strict=True)
        }

    def _buffer(self, shape: tuple[int, ...], dtype: np.dtype, is_input: bool) -> _Buffer:
        if dtype == np.object_:
            raise MeasureError("The model has an input of strings, which cannot be on a GPU.")
        host = cuda.PinnedArray(shape, dtype)
        device = cuda.DeviceArray(host.nbytes)
        if is_input:
            return _Buffer(host, device, cuda.to_device(host, device, self._stream))
        return _Buffer(host, device, cuda.to_host(device, host, self._stream))

    def writable(self) -> list[np.ndarray | None]:
        """The pinned memory that each run copies the recorded inputs from."""
        buffers = {name: buffer.host.array for name, buffer in self._inputs.items()}
        return [buffers.get(name) for name in self._fed]

    def prepare(self) -> None:
        """Does nothing: each run copies its inputs."""

    def run(self) -> None:
        for buffer in self._inputs.values():
            _check(buffer.copy())
        self._compute()
        for buffer in self._outputs.values():
            _check(buffer.copy())

    def _compute(self) -> None:
        self._session.run_with_iobinding(self._binding, self._asynchronously)

    def synchronize(self) -> None:
        self._stream.synchronize()

    def outputs(self) -> dict[str, np.ndarray]:
        self._least_free = min(self._least_free, cuda.free_memory())
        kinds = self._session.get_outputs()
        return {_saved_name(k): self._outputs[k.name].host.array.copy() for k in kinds}

    def device_times(self, runs: int) -> list[float]:
        """Milliseconds of each run by the events of its stream."""
        pairs = [(cuda.CudaEvent(), cuda.CudaEvent()) for _ in range(runs)]
        for start, end in pairs:
            start.record(self._stream)
            self._compute()
            end.record(self._stream)
        self._stream.synchronize()
        times = [end.milliseconds_since(start) for start, end in pairs]
        for event in (event for pair in pairs for event in pair):
            event.close()
        return times

    def profile(self, seconds: float) -> Profile:
        """The kernels of each node, from a second session with the profiler on.

        It runs without a CUDA graph, whose kernels belong to no node.
        """
        from turnkeyml.runtimes.onnxruntime.profile import profile_gpu_session

        unprofiled = Unprofiled(
            plain_runs(self.run, self.synchronize, seconds / 4),
            copy_times(self._stream, _copies(self._inputs), _copies(self._outputs)),
            PRODUCTS if self._settings["tf32"] else (),
        )
        with tempfile.TemporaryDirectory() as folder:
            twin = self._twin = self._again(profile=str(Path(folder) / "profile"))
            twin.feed(self._fed)

            def run() -> None:
                twin.run()
                twin.synchronize()

            return profile_gpu_session(run, twin.end_profiling, unprofiled, seconds / 2)

    def end_profiling(self) -> list[dict[str, Any]]:
        """The events that the profiler has recorded; it is off after that."""
        path = Path(self._session.end_profiling())
        return list(json.loads(path.read_text(encoding="utf-8", errors="replace")))

    def device_memory(self) -> int:
        """What the GPU had less after the first runs than before: nothing of it is given back."""
        return self._free_before - self._least_free

    def stats(self) -> dict[str, Any]:
        """How many nodes run on the CPU, and which."""
        if self._nodes is None:
            return {}
        names, total = self._nodes
        counted = Counter(names).most_common()
        shown = ", ".join(f"{name} {count}" for name, count in counted[:OPERATORS_SHOWN])
        more = ", …" if len(counted) > OPERATORS_SHOWN else ""
        return {"CPU nodes": f"{len(names)} of {total}{f' ({shown}{more})' if names else ''}"}

    def settings(self) -> dict[str, Any]:
        return dict(self._settings)

    def close(self) -> None:
        if self._twin is not None:
            self._twin.close()
        for other in self._others:
            other.close()
        self._others = []
        self._stream.synchronize()
        del self._binding, self._session
        self._close(self._inputs)
        self._close(self._outputs)
        self._stream.close()

    @staticmethod
    def _close(buffers: dict[str, _Buffer]) -> None:
        for buffer in buffers.values():
            buffer.close()
        buffers.clear()


@dataclass(frozen=True)
class _Buffer:
    """One input or output: in pinned memory of the host and in that of the GPU."""

    host: cuda.PinnedArray
    device: cuda.DeviceArray
    copy: Callable[[], int]
    """Copies it, to the device or to the host."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.host.array.shape)

    def close(self) -> None:
        self.host.close()
        self.device.close()


def session_options(threads: int, profile: str = "") -> onnxruntime.SessionOptions:
    """Those of a session with so many threads; ``profile`` is the beginning of the path of a file
    for ONNX Runtime's profiler."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if profile:
        options.enable_profiling = True
        options.profile_file_prefix = profile
        return options
    if hasattr(onnxruntime.InferenceSession, TELLS_NODES):
        options.add_session_config_entry(RECORD_PLACEMENT, "1")
        return options
    # Of one run, before anything is timed. Kernels may start more slowly ever after, as CUDA goes
    # on tracing them.
    options.enable_profiling = True
    options.profile_file_prefix = str(Path(tempfile.gettempdir()) / f"turnkey-{os.getpid()}")
    return options


def run_options(*, synchronize: bool, graph: bool = True) -> onnxruntime.RunOptions:
    """Those of a run: whether it waits for the GPU, and whether it may be a CUDA graph."""
    options = onnxruntime.RunOptions()
    if not synchronize:
        options.add_run_config_entry("disable_synchronize_execution_providers", "1")
    if not graph:
        options.add_run_config_entry("gpu_graph_id", "-1")
    return options


def load_libraries() -> None:
    """Load the libraries of pip packages, which the loader does not find by itself."""
    major = str(getattr(onnxruntime, "cuda_version", "") or "").partition(".")[0]
    folders = [folder for root in sys.path for folder in Path(root or ".").glob("nvidia/*/lib")]
    for name in LIBRARIES:
        for path in sorted(p for folder in folders for p in folder.glob(f"lib{name}*.so.*")):
            if (
                name in ("cudart", "cublas", "cublasLt")
                and major
                and f".so.{major}" not in path.name
            ):
                continue
            try:
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            except OSError as error:  # the log says so; ONNX Runtime may not need this one
                print(f"{path} cannot be loaded: {error}", flush=True)


def _copies(buffers: Mapping[str, _Buffer]) -> list[Copy]:
    return [
        Copy(name, str(buffer.host.array.dtype), buffer.shape, buffer.copy)
        for name, buffer in buffers.items()
    ]


def _element_type(kind: Any) -> Any:
    """The type of a tensor as bindings want it."""
    return _BFLOAT16 if dtype_of(kind) == "bfloat16" else _numpy_dtype(kind).type


def _numpy_dtype(kind: Any) -> np.dtype:
    """The dtype of the array that holds a tensor; the bits of those that numpy does not have."""
    name = dtype_of(kind)
    if name == "string":
        raise MeasureError(f"{kind.name!r} is a tensor of strings, which cannot be on a GPU.")
    return np.dtype("uint16" if name == "bfloat16" else name)


def _saved_name(kind: Any) -> str:
    return str(kind.name) + (BFLOAT16 if dtype_of(kind) == "bfloat16" else "")


def _check(code: int) -> None:
    if code:
        raise MeasureError(f"The GPU failed to copy an array (CUDA error {code}).")
