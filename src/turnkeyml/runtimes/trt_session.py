"""Sessions of TensorRT: an engine with its buffers, a stream, and a CUDA graph if asked for."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml.cache.arrays import BFLOAT16, fed
from turnkeyml.errors import MeasureError
from turnkeyml.nouns.profiles import Profile
from turnkeyml.runtimes import cuda
from turnkeyml.runtimes.contract import Request
from turnkeyml.runtimes.gpu_profile import PRODUCTS, Copy, Unprofiled, copy_times, plain_runs
from turnkeyml.runtimes.nvml import Gpu
from turnkeyml.runtimes.trt_build import Recipe
from turnkeyml.runtimes.trt_engine import EngineKey, EngineStore, Known
from turnkeyml.runtimes.trt_library import load_tensorrt, logger
from turnkeyml.runtimes.trt_profile import profile_context

__all__ = ["TrtSession", "check_range", "numpy_name", "shapes_of"]

_NUMPY_NAMES = {
    "FLOAT": "float32",
    "HALF": "float16",
    "BF16": "bfloat16",
    "INT8": "int8",
    "INT32": "int32",
    "INT64": "int64",
    "UINT8": "uint8",
    "BOOL": "bool",
}
"""The names of TensorRT's types in numpy. numpy has no bfloat16, whose bits are kept instead."""


def numpy_name(kind: str, tensor: str) -> str:
    """The name of the dtype of a tensor; an error if numpy has nothing like it."""
    if kind not in _NUMPY_NAMES:
        raise MeasureError(
            f"The tensor {tensor!r} is of TensorRT's type {kind}, which turnkey "
            "cannot feed or compare."
        )
    return _NUMPY_NAMES[kind]


def shapes_of(inputs: Mapping[str, np.ndarray]) -> dict[str, tuple[int, ...]]:
    """The shapes of recorded inputs by the names that the model has for them."""
    return {n.removesuffix(BFLOAT16): tuple(map(int, a.shape)) for n, a in inputs.items()}


def check_range(name: str, array: np.ndarray, dtype: str) -> None:
    """Raise an error if an input has integers that the engine's type cannot hold.

    TensorRT 8 turns 64-bit integers into 32-bit ones; larger values would wrap around silently.
    """
    if array.dtype.kind not in "iu" or np.dtype(dtype).kind not in "iu" or not array.size:
        return
    limits = np.iinfo(dtype)
    if array.min() < limits.min or array.max() > limits.max:
        raise MeasureError(
            f"The input {name!r} has values that do not fit into {dtype}, which TensorRT uses "
            "for it; choose another runtime."
        )


@dataclass(frozen=True)
class _Tensor:
    """An input or output of an engine, on both sides."""

    name: str
    dtype: str
    host: cuda.PinnedArray
    device: cuda.DeviceArray | None
    """None for what TensorRT reads and writes on the host, such as shapes."""

    @property
    def address(self) -> int:
        return self.host.address if self.device is None else self.device.address

    def copied(self, start: Callable[[], int]) -> Copy:
        return Copy(self.name, self.dtype, tuple(self.host.array.shape), start)

    def close(self) -> None:
        self.host.close()
        if self.device is not None:
            self.device.close()


class TrtSession:
    """An engine on one GPU, whose runs copy inputs to it and outputs back."""

    changes_inputs = False
    asynchronous = True

    def __init__(self, request: Request, number: int, gpu: Gpu) -> None:
        self._trt = load_tensorrt()
        self._request = request
        cuda.set_device(number)
        self._free_before = self._least_free = cuda.free_memory()
        self._stream = cuda.Stream()
        self._key = EngineKey(
            gpu=gpu.name,
            capability=cuda.compute_capability(number),
            driver=gpu.driver,
            tensorrt=str(self._trt.__version__),
        )
        self._store = EngineStore(request.build_folder, self._key, request.sha256)
        self._runtime = self._trt.Runtime(logger())
        self._bound: _Bound | None = None
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._known: Known | None = None

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        shapes = shapes_of(inputs)
        if self._bound is None or shapes != self._shapes:
            self._open(shapes)
        assert self._bound is not None
        wanted = {tensor.name: tensor.dtype for tensor in self._bound.inputs}
        for name, dtype in wanted.items():
            if name in inputs and dtype != "bfloat16":
                check_range(name, inputs[name], dtype)
        values = fed(inputs, wanted)
        for tensor in self._bound.inputs:
            np.copyto(tensor.host.array, values[tensor.name].reshape(tensor.host.array.shape))

    def prepare(self) -> None:
        """Does nothing: an engine does not modify its inputs."""

    def run(self) -> None:
        self._start()

    def synchronize(self) -> None:
        self._stream.synchronize()

    def outputs(self) -> dict[str, np.ndarray]:
        assert self._bound is not None
        return {
            t.name + (BFLOAT16 if t.dtype == "bfloat16" else ""): t.host.array.copy()
            for t in self._bound.outputs
        }

    def device_times(self, runs: int) -> list[float]:
        """Milliseconds of each run by events on the GPU; the inputs are there already."""
        assert self._bound is not None
        pairs = [(cuda.Event(), cuda.Event()) for _ in range(runs)]
        for begin, end in pairs:
            begin.record(self._stream)
            self._bound.compute()
            end.record(self._stream)
        self._stream.synchronize()
        times = [end.milliseconds_since(begin) for begin, end in pairs]
        for event in (event for pair in pairs for event in pair):
            event.close()
        return times

    def profile(self, seconds: float) -> Profile:
        """The layers of the engine, which a second copy of it runs without a CUDA graph.

        A copy, as two contexts of an engine cannot share what was compiled for open shapes.
        """
        assert self._bound is not None
        assert self._known is not None
        unprofiled = Unprofiled(
            plain_runs(self.run, self.synchronize, seconds / 4),
            copy_times(self._stream, *self._bound.copies()),
            PRODUCTS if self._request.arguments.get("tf32") else (),
        )
        engine = self._runtime.deserialize_cuda_engine(self._known.engine)
        if engine is None:
            raise MeasureError(f"TensorRT cannot load the engine once more{_reason()}.")
        twin = _Bound(engine, self._stream, self._shapes, self._known.outputs)
        for mine, theirs in zip(self._bound.inputs, twin.inputs, strict=True):
            np.copyto(theirs.host.array, mine.host.array)

        def run() -> None:
            twin.start()
            self._stream.synchronize()

        with contextlib.closing(twin):
            return profile_context(self._trt, twin.context, run, unprofiled, seconds / 2)

    def device_memory(self) -> int | None:
        """What the engine and its buffers take on the GPU, without the context of the process."""
        self._look_at_memory()
        return self._free_before - self._least_free

    def settings(self) -> dict[str, Any]:
        assert self._known is not None
        return {
            "gpu": self._key.gpu,
            "driver": self._key.driver,
            "cudart": cuda.library_path() or "",
            **self._request.arguments,
            **self._known.facts,
            "precision": self._request.precision,
        }

    def stats(self) -> dict[str, Any]:
        """How the engine came about."""
        if self._known is None:
            return {}
        known = self._known
        how = "from the cache" if known.is_cached else f"compiled in {known.seconds:.1f} s"
        return {
            "engine": how,
            "engine_cached": known.is_cached,
            "engine_build_seconds": known.seconds,
            "engine_bytes": len(known.engine),
        }

    def close(self) -> None:
        if self._bound is not None:
            self._bound.close()
            self._bound = None
        self._stream.close()

    def _open(self, shapes: dict[str, tuple[int, ...]]) -> None:
        """Load the engine for inputs of these shapes, and compile it if there is none."""
        if self._bound is not None:
            self._bound.close()
            self._bound = None
        recipe = self._recipe(shapes)
        engine = self._load(recipe)
        assert self._known is not None
        self._bound = _Bound(engine, self._stream, shapes, self._known.outputs)
        self._shapes = shapes
        self._start = self._bound.start
        if self._request.arguments.get("cuda_graph"):
            self._start = self._bound.capture()
        self._look_at_memory()

    def _recipe(self, shapes: dict[str, tuple[int, ...]]) -> Recipe:
        given = self._request.arguments
        return Recipe(
            model=self._request.model,
            precision=self._request.precision,
            shapes=shapes,
            workspace=given.get("workspace"),
            builder_level=given.get("builder_level"),
            tactic_sources=given.get("tactic_sources") or "",
            tf32=bool(given.get("tf32")),
        )

    def _load(self, recipe: Recipe) -> Any:
        for obtain in (self._store.find, self._store.make):
            known = obtain(recipe)
            if known is None:
                continue
            if not known.is_cached:  # what compiling took is not what the engine needs
                self._free_before = self._least_free = cuda.free_memory()
            engine = self._runtime.deserialize_cuda_engine(known.engine)
            if engine is not None:
                self._known = known
                return engine
        raise MeasureError("TensorRT cannot load the engine that it has compiled.")

    def _look_at_memory(self) -> None:
        self._least_free = min(self._least_free, cuda.free_memory())


class _Bound:
    """An execution context with memory for everything that goes in and out."""

    def __init__(
        self,
        engine: Any,
        stream: cuda.Stream,
        shapes: Mapping[str, tuple[int, ...]],
        order: tuple[str, ...],
    ) -> None:
        self._trt = load_tensorrt()
        self._engine, self._stream = engine, stream
        self._context = engine.create_execution_context()
        if self._context is None:
            raise MeasureError("The GPU has too little free memory for the engine.")
        names = [engine.get_tensor_name(i) for i in range(engine.num_io_tensors)]
        feeds = [n for n in names if engine.get_tensor_mode(n) == self._trt.TensorIOMode.INPUT]
        self._graphs: list[cuda.Graph] = []
        self._set_shapes(feeds, shapes)
        self.inputs = [self._tensor(name) for name in feeds]
        self.outputs = [self._tensor(name) for name in order]
        self._copies_in = [
            cuda.to_device(t.host, t.device, stream) for t in self.inputs if t.device
        ]
        self._copies_out = [
            cuda.to_host(t.device, t.host, stream) for t in self.outputs if t.device
        ]
        self._execute = functools.partial(self._context.execute_async_v3, stream.address)
        self.compute: Callable[[], None] = self._compute

    @property
    def context(self) -> Any:
        """The execution context of TensorRT."""
        return self._context

    def copies(self) -> tuple[list[Copy], list[Copy]]:
        """What a run copies to the GPU, and what it copies back."""
        return (
            [
                t.copied(cuda.to_device(t.host, t.device, self._stream))
                for t in self.inputs
                if t.device
            ],
            [
                t.copied(cuda.to_host(t.device, t.host, self._stream))
                for t in self.outputs
                if t.device
            ],
        )

    def start(self) -> None:
        """Start one inference with its transfers."""
        failed = 0
        for copy in self._copies_in:
            failed |= copy()
        failed |= not self._execute()
        for copy in self._copies_out:
            failed |= copy()
        if failed:
            raise MeasureError(f"TensorRT could not start the inference{_reason()}.")

    def capture(self) -> Callable[[], None]:
        """What starts one inference as a CUDA graph; ``compute`` is one from now on, too."""
        self.start()  # the first run of a context sets things up that no graph can contain
        self._stream.synchronize()
        whole = cuda.Graph(self._stream, self.start)
        compute = cuda.Graph(self._stream, self._compute)
        self._graphs = [whole, compute]
        self.compute = compute.launch
        return whole.launch

    def close(self) -> None:
        self._stream.synchronize()
        for graph in self._graphs:
            graph.close()
        for tensor in (*self.inputs, *self.outputs):
            tensor.close()
        del self._execute, self._context, self._engine

    def _compute(self) -> None:
        if not self._execute():
            raise MeasureError(f"TensorRT could not start the inference{_reason()}.")

    def _set_shapes(self, feeds: list[str], shapes: Mapping[str, tuple[int, ...]]) -> None:
        for name in feeds:
            if name not in shapes:
                raise MeasureError(
                    f"The model wants an input {name!r} that was not recorded; "
                    f"recorded are: {', '.join(shapes)}."
                )
            if not self._context.set_input_shape(name, shapes[name]):
                wanted = tuple(self._engine.get_tensor_shape(name))
                raise MeasureError(
                    f"The input {name!r} has the shape {shapes[name]}; the model wants {wanted}."
                )

    def _tensor(self, name: str) -> _Tensor:
        shape = tuple(map(int, self._context.get_tensor_shape(name)))
        if any(length < 0 for length in shape):
            raise MeasureError(
                f"The shape of the output {name!r} depends on the values of the inputs, which "
                "this runtime does not support; choose another runtime."
            )
        dtype = numpy_name(self._engine.get_tensor_dtype(name).name, name)
        stored = np.dtype(np.uint16 if dtype == "bfloat16" else dtype)
        host = cuda.PinnedArray(shape, stored)
        on_host = self._engine.get_tensor_location(name) == self._trt.TensorLocation.HOST
        tensor = _Tensor(name, dtype, host, None if on_host else cuda.DeviceArray(host.nbytes))
        self._context.set_tensor_address(name, tensor.address)
        return tensor


def _reason() -> str:
    errors = logger().errors
    return f": {' '.join(errors[-1].split())[:300]}" if errors else ""
