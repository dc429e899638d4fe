"""A GPU that is the host: the CUDA runtime library and TensorRT as far as sessions call them.

The sessions are the real ones, and so are their threads, buffers and copies. What they start is
done before the call returns.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

SHAPE = (2, 3)
RUN_SECONDS = 0.001


class HostCuda:
    """The functions of the CUDA runtime library; they return 0, as it does if all is well."""

    def __init__(self) -> None:
        self._memory: dict[int, Any] = {}
        self._streams = itertools.count(1)
        self.streams: set[int] = set()
        """Those that are open."""
        self.devices: dict[int, int] = {}
        """The GPU of each thread that has chosen one."""

    def cudaSetDevice(self, number: int) -> int:
        self.devices[threading.get_ident()] = number
        return 0

    def cudaMalloc(self, place: Any, size: int) -> int:
        block = ctypes.create_string_buffer(size)
        place._obj.value = ctypes.addressof(block)
        self._memory[place._obj.value] = block
        return 0

    def cudaHostAlloc(self, place: Any, size: int, flags: int) -> int:
        return self.cudaMalloc(place, size)

    def cudaFree(self, pointer: Any) -> int:
        if pointer is not None:
            del self._memory[pointer.value]
        return 0

    cudaFreeHost = cudaFree

    @property
    def blocks(self) -> int:
        """Allocations that were not freed."""
        return len(self._memory)

    def cudaMemcpyAsync(self, to: Any, source: Any, size: int, kind: int, stream: Any) -> int:
        assert stream.value in self.streams
        ctypes.memmove(to, source, size)
        return 0

    def cudaMemGetInfo(self, free: Any, total: Any) -> int:
        free._obj.value = 10**9 - sum(map(len, self._memory.values()))
        return 0

    def cudaDeviceGetAttribute(self, value: Any, attribute: int, number: int) -> int:
        value._obj.value = 9
        return 0

    def cudaStreamCreateWithFlags(self, place: Any, flags: int) -> int:
        place._obj.value = next(self._streams)
        self.streams.add(place._obj.value)
        return 0

    def cudaStreamSynchronize(self, stream: Any) -> int:
        assert stream.value in self.streams
        return 0

    def cudaStreamDestroy(self, stream: Any) -> int:
        self.streams.remove(stream.value)
        return 0


class Context:
    """An execution context: y = 2 x + 1. One run at a time, as a real one demands."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._running = threading.Lock()
        self.runs: set[tuple[int, int]] = set()
        """The streams that it ran in, and the threads that started it."""

    def set_input_shape(self, name: str, shape: tuple[int, ...]) -> bool:
        return shape == SHAPE

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        return SHAPE

    def set_tensor_address(self, name: str, address: int) -> None:
        self._places[name] = address

    def execute_async_v3(self, stream: int) -> bool:
        if not self._running.acquire(blocking=False):
            return False
        self.runs.add((stream, threading.get_ident()))
        x, y = (self._array(name) for name in "xy")
        time.sleep(RUN_SECONDS)
        y[...] = 2 * x + 1
        self._running.release()
        return True

    def _array(self, name: str) -> np.ndarray:
        count = int(np.prod(SHAPE))
        memory = (ctypes.c_float * count).from_address(self._places[name])
        return np.frombuffer(memory, np.float32).reshape(SHAPE)


class Engine:
    """An engine with one input and one output, whose file may leave the shape open."""

    num_io_tensors = 2

    def __init__(self, shape: tuple[int, ...] = SHAPE) -> None:
        self._shape = shape
        self.contexts: list[Context] = []

    def create_execution_context(self) -> Context:
        self.contexts.append(Context())
        return self.contexts[-1]

    def get_tensor_name(self, number: int) -> str:
        return "xy"[number]

    def get_tensor_mode(self, name: str) -> str:
        return {"x": "input", "y": "output"}[name]

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        return self._shape

    def get_tensor_dtype(self, name: str) -> Any:
        return SimpleNamespace(name="FLOAT")

    def get_tensor_location(self, name: str) -> str:
        return "device"


class HostTensorRt:
    """The module ``tensorrt``; every engine that is loaded has the shape that it was made with."""

    TensorIOMode = SimpleNamespace(INPUT="input")
    TensorLocation = SimpleNamespace(HOST="host")

    def __init__(self, version: str = "8.6.1", shape: tuple[int, ...] = SHAPE) -> None:
        self.__version__ = version
        self._shape = shape
        self.engines: list[Engine] = []

    def Runtime(self, logger: Any) -> HostTensorRt:
        return self

    def deserialize_cuda_engine(self, engine: bytes) -> Engine:
        self.engines.append(Engine(self._shape))
        return self.engines[-1]
