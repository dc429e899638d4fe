"""Execution contexts of a TensorRT engine, each with a stream and memory of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.nvidia import cuda
from turnkeyml.runtimes.nvidia.profile import Copy
from turnkeyml.runtimes.tensorrt.library import load_tensorrt, logger

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


def _reason() -> str:
    errors = logger().errors
    return f": {' '.join(errors[-1].split())[:300]}" if errors else ""
