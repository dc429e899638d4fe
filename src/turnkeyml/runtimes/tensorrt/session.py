"""Sessions of TensorRT: an engine and its execution contexts, which run with their transfers.

Each context has a stream and memory of its own.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml.cache import BFLOAT16, fed
from turnkeyml.errors import MeasureError
from turnkeyml.nouns import Profile
from turnkeyml.runtimes.contract import Request
from turnkeyml.runtimes.nvidia import cuda
from turnkeyml.runtimes.nvidia.nvml import NvmlGpu
from turnkeyml.runtimes.nvidia.profile import PRODUCTS, Copy, Unprofiled, copy_times, plain_runs
from turnkeyml.runtimes.nvidia.runtime import instances_of
from turnkeyml.runtimes.tensorrt.engine import EngineKey, EngineStore, Known, Recipe
from turnkeyml.runtimes.tensorrt.library import load_tensorrt, logger
from turnkeyml.runtimes.tensorrt.profile import profile_context

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


class TrtSession:
    """An engine on one GPU, whose runs copy inputs to it and outputs back."""

    changes_inputs = False
    asynchronous = True

    def __init__(self, request: Request, number: int, gpu: NvmlGpu) -> None:
        self._trt = load_tensorrt()
        self._request, self._number = request, number
        cuda.set_device(number)
        self._free_before = self._least_free = cuda.free_memory()
        self._stream = cuda.CudaStream()
        self._key = EngineKey(
            gpu=gpu.name,
            capability=cuda.compute_capability(number),
            driver=gpu.driver,
            tensorrt=str(self._trt.__version__),
        )
        self._store = EngineStore(request.build_folder, self._key, request.sha256)
        self._runtime = self._trt.Runtime(logger())
        self._bound: BoundContext | None = None
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._known: Known | None = None
        self._names: list[str] = []
        self._others: list[TrtSession] = []

    def feed(self, inputs: Mapping[str, np.ndarray]) -> None:
        self._names = list(inputs)
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

    def lanes(self) -> list[TrtSession]:
        """Execution contexts that can run at the same time, each in a stream and with memory of
        its own; this session is the first."""
        self._others += [self._another() for _ in range(instances_of(self._request) - 1)]
        self._look_at_memory()
        return [self, *self._others]

    def _another(self) -> TrtSession:
        assert self._bound is not None
        other = copy.copy(self)
        other._others, other._stream = [], cuda.CudaStream()
        other._bind(self._bound.twin(self._shapes, other._stream, self._engine_for_another()))
        return other

    def _engine_for_another(self) -> Any:
        """A copy of the engine if another context cannot use the same one, otherwise None."""
        assert self._bound is not None
        assert self._known is not None
        if not self._bound.needs_own_engine:
            return None
        return self._runtime.deserialize_cuda_engine(self._known.engine)

    def attach(self) -> None:
        """Let this thread use its GPU."""
        cuda.set_device(self._number)

    def writable(self) -> list[np.ndarray | None]:
        """The pinned memory that each run copies the recorded inputs from."""
        assert self._bound is not None
        buffers = {tensor.name: tensor.host.array for tensor in self._bound.inputs}
        return [buffers.get(name) for name in self._names]

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
        pairs = [(cuda.CudaEvent(), cuda.CudaEvent()) for _ in range(runs)]
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
        """The layers of the engine, which a second context runs without a CUDA graph."""
        assert self._bound is not None
        unprofiled = Unprofiled(
            plain_runs(self.run, self.synchronize, seconds / 4),
            copy_times(self._stream, *self._bound.copies()),
            PRODUCTS if self._request.arguments.get("tf32") else (),
        )
        twin = self._bound.twin(self._shapes, self._stream, self._engine_for_another())

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
            **self._sharing(),
        }

    def _sharing(self) -> dict[str, int]:
        """One thread of the host starts the work of an instance, and waits for it."""
        if self._request.instances is None:
            return {}
        return {"instances": instances_of(self._request), "threads_per_instance": 1}

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
        for other in self._others:
            other.close()
        self._others = []
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
        self._shapes = shapes
        self._bind(BoundContext(engine, self._stream, shapes, self._known.outputs))
        self._look_at_memory()

    def _bind(self, bound: BoundContext) -> None:
        """Run this context from now on."""
        self._bound, self._start = bound, bound.start
        if self._request.arguments.get("cuda_graph"):
            self._start = bound.capture()

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


class BoundContext:
    """An execution context with memory for everything that goes in and out."""

    def __init__(
        self,
        engine: Any,
        stream: cuda.CudaStream,
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
        self._graphs: list[cuda.CudaGraph] = []
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

    @property
    def needs_own_engine(self) -> bool:
        """Whether another context cannot use the same engine: before TensorRT 10, one whose file
        leaves shapes open has one optimization profile, which belongs to its first context."""
        if int(str(self._trt.__version__).partition(".")[0]) >= 10:
            return False
        return any(-1 in tuple(self._engine.get_tensor_shape(t.name)) for t in self.inputs)

    def twin(
        self, shapes: Mapping[str, tuple[int, ...]], stream: cuda.CudaStream, engine: Any = None
    ) -> BoundContext:
        """Another context with memory of its own and the same inputs, of the same engine or of
        another copy of it."""
        order = tuple(tensor.name for tensor in self.outputs)
        twin = BoundContext(self._engine if engine is None else engine, stream, shapes, order)
        for mine, theirs in zip(self.inputs, twin.inputs, strict=True):
            np.copyto(theirs.host.array, mine.host.array)
        return twin

    def copies(self) -> tuple[list[Copy], list[Copy]]:
        """What a run copies to the GPU, and what it copies back."""
        ins = [t for t in self.inputs if t.device is not None]
        outs = [t for t in self.outputs if t.device is not None]
        return (
            [t.copied(start) for t, start in zip(ins, self._copies_in, strict=True)],
            [t.copied(start) for t, start in zip(outs, self._copies_out, strict=True)],
        )

    def start(self) -> None:
        """Start one inference with its transfers."""
        failed = 0
        for transfer in self._copies_in:
            failed |= transfer()
        failed |= not self._execute()
        for transfer in self._copies_out:
            failed |= transfer()
        if failed:
            raise MeasureError(f"TensorRT could not start the inference{_reason()}.")

    def capture(self) -> Callable[[], None]:
        """What starts one inference as a CUDA graph; ``compute`` is one from now on, too."""
        self.start()  # the first run of a context sets things up that no graph can contain
        self._stream.synchronize()
        whole = cuda.CudaGraph(self._stream, self.start)
        compute = cuda.CudaGraph(self._stream, self._compute)
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
        """What such a copy moves."""
        return Copy(self.name, self.dtype, tuple(self.host.array.shape), start)

    def close(self) -> None:
        self.host.close()
        if self.device is not None:
            self.device.close()


def numpy_name(kind: str, tensor: str) -> str:
    """The name of the dtype of a tensor; an error if numpy has nothing like it."""
    if kind not in _NUMPY_NAMES:
        raise MeasureError(
            f"The tensor {tensor!r} is of TensorRT's type {kind}, which turnkey "
            "cannot feed or compare."
        )
    return _NUMPY_NAMES[kind]


def _reason() -> str:
    errors = logger().errors
    return f": {' '.join(errors[-1].split())[:300]}" if errors else ""
