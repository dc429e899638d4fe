"""The CUDA runtime library through ctypes: memory, streams, events and graphs on one GPU.

A worker may have numpy and TensorRT alone, so there is no other package to ask. Loading it does not
touch the GPU; the first call that needs the GPU does. A process that forks afterwards has children
that cannot use it, so only the process that measures calls anything but ``library_path``.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from math import prod
from pathlib import Path

import numpy as np

from turnkeyml.errors import MeasureError

INSTALL = "pip install nvidia-cuda-runtime-cu12"
NAME = "libcudart.so"
_TO_DEVICE, _TO_HOST, _WITHIN = 1, 2, 3
"""Values of cudaMemcpyKind."""
_NON_BLOCKING = 1
"""A flag of streams: the default stream, which others may use, does not make it wait."""
_THREAD_LOCAL = 1
"""A mode of capturing: what other threads do meanwhile does not spoil the graph."""
_CAPABILITY_MAJOR, _CAPABILITY_MINOR = 75, 76
"""Values of cudaDeviceAttr."""

_Pointer = ctypes.c_void_p
_POINTER_OUT = ctypes.POINTER(ctypes.c_void_p)
_SIZE = ctypes.c_size_t
_INT = ctypes.c_int
_UINT = ctypes.c_uint
_SIGNATURES: dict[str, tuple[object, ...]] = {
    "cudaSetDevice": (_INT,),
    "cudaFree": (_Pointer,),
    "cudaMalloc": (_POINTER_OUT, _SIZE),
    "cudaHostAlloc": (_POINTER_OUT, _SIZE, _UINT),
    "cudaFreeHost": (_Pointer,),
    "cudaMemcpyAsync": (_Pointer, _Pointer, _SIZE, _INT, _Pointer),
    "cudaMemGetInfo": (ctypes.POINTER(_SIZE), ctypes.POINTER(_SIZE)),
    "cudaDeviceSynchronize": (),
    "cudaDeviceGetAttribute": (ctypes.POINTER(_INT), _INT, _INT),
    "cudaStreamCreateWithFlags": (_POINTER_OUT, _UINT),
    "cudaStreamDestroy": (_Pointer,),
    "cudaStreamSynchronize": (_Pointer,),
    "cudaStreamBeginCapture": (_Pointer, _INT),
    "cudaStreamEndCapture": (_Pointer, _POINTER_OUT),
    "cudaEventCreateWithFlags": (_POINTER_OUT, _UINT),
    "cudaEventDestroy": (_Pointer,),
    "cudaEventRecord": (_Pointer, _Pointer),
    "cudaEventSynchronize": (_Pointer,),
    "cudaEventElapsedTime": (ctypes.POINTER(ctypes.c_float), _Pointer, _Pointer),
    "cudaGraphInstantiateWithFlags": (_POINTER_OUT, _Pointer, ctypes.c_ulonglong),
    "cudaGraphLaunch": (_Pointer, _Pointer),
    "cudaGraphExecDestroy": (_Pointer,),
    "cudaGraphDestroy": (_Pointer,),
}


def library_path(name: str = NAME) -> str | None:
    """The path of a shared library of CUDA, or a name that the loader finds; None if it is absent.

    A library that this process has loaded comes first, as two versions in one process would not
    know each other's memory; then ``LD_LIBRARY_PATH``, pip packages and the system.
    """
    found = next(_mapped(name), None) or next(_in_folders(name), None)
    return found or find_library(name.removeprefix("lib").partition(".so")[0])


def _mapped(name: str) -> Iterator[str]:
    try:
        lines = Path("/proc/self/maps").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        path = line.partition("/")[2]
        if Path(path).name.startswith(name):
            yield "/" + path


def _in_folders(name: str) -> Iterator[str]:
    folders = [Path(f) for f in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if f]
    for root in map(Path, sys.path):
        folders += [*root.glob("nvidia/*/lib"), *root.glob("tensorrt*libs"), root / "tensorrt"]
    folders += [*Path("/usr/local").glob("cuda*/lib64")]
    for folder in folders:
        # Not the newest of several by name, but the first that is more than a link for linkers.
        yield from map(str, sorted(folder.glob(f"{name}.*")))


@functools.cache
def library() -> ctypes.CDLL:
    """The CUDA runtime library; an error in words if there is none."""
    path = library_path()
    if path is None:
        raise MeasureError(f"The CUDA runtime library ({NAME}) is not installed; {INSTALL}.")
    # Numbers of GPUs are those that nvidia-smi shows, and not in the order of their speed.
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    try:
        found = ctypes.CDLL(path)
        for name, arguments in _SIGNATURES.items():
            getattr(found, name).argtypes = arguments
        found.cudaGetErrorString.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise MeasureError(f"{path} cannot be used: {error}; {INSTALL}.") from None
    return found


def _call(name: str, *arguments: object) -> None:
    _check(name, getattr(library(), name)(*arguments))


def _check(name: str, code: int) -> None:
    if code:
        text = library().cudaGetErrorString(code).decode("utf-8", "replace")
        raise MeasureError(f"The GPU failed: {name} says '{text}' (error {code}).")


def _created(name: str, *arguments: object) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    _call(name, ctypes.byref(handle), *arguments)
    return handle


def set_device(number: int) -> None:
    """Let this thread use the GPU of that number, and start its context."""
    _call("cudaSetDevice", number)
    _call("cudaFree", None)


def synchronize() -> None:
    """Wait until the GPU has done everything that this process asked for."""
    _call("cudaDeviceSynchronize")


def free_memory() -> int:
    """The bytes of the current GPU that nobody uses."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    _call("cudaMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    return free.value


def compute_capability(number: int) -> str:
    """The generation of a GPU: ``9.0``."""
    values = []
    for attribute in (_CAPABILITY_MAJOR, _CAPABILITY_MINOR):
        value = ctypes.c_int()
        _call("cudaDeviceGetAttribute", ctypes.byref(value), attribute, number)
        values.append(str(value.value))
    return ".".join(values)


class CudaStream:
    """A queue of work for the GPU."""

    def __init__(self) -> None:
        self.handle = _created("cudaStreamCreateWithFlags", _NON_BLOCKING)
        self._wait = functools.partial(library().cudaStreamSynchronize, self.handle)

    @property
    def address(self) -> int:
        assert self.handle.value is not None
        return self.handle.value

    def synchronize(self) -> None:
        """Wait until everything in the queue is done."""
        _check("cudaStreamSynchronize", self._wait())

    def close(self) -> None:
        _call("cudaStreamDestroy", self.handle)


class CudaEvent:
    """A moment in a stream."""

    def __init__(self) -> None:
        self.handle = _created("cudaEventCreateWithFlags", 0)

    def record(self, stream: CudaStream) -> None:
        _call("cudaEventRecord", self.handle, stream.handle)

    def milliseconds_since(self, earlier: CudaEvent) -> float:
        """The time from another event to this one, once both are over."""
        _call("cudaEventSynchronize", self.handle)
        value = ctypes.c_float()
        _call("cudaEventElapsedTime", ctypes.byref(value), earlier.handle, self.handle)
        return value.value

    def close(self) -> None:
        _call("cudaEventDestroy", self.handle)


class PinnedArray:
    """A numpy array in memory of the host that the GPU can read and write by itself."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.nbytes = prod(shape) * dtype.itemsize
        self.pointer = _created("cudaHostAlloc", max(1, self.nbytes), 0)
        assert self.pointer.value is not None
        memory = (ctypes.c_byte * max(1, self.nbytes)).from_address(self.pointer.value)
        self.array: np.ndarray = np.ndarray(shape, dtype, buffer=memoryview(memory))

    @property
    def address(self) -> int:
        assert self.pointer.value is not None
        return self.pointer.value

    def close(self) -> None:
        """Free the memory; the array must not be used any more."""
        _call("cudaFreeHost", self.pointer)


class DeviceArray:
    """Memory of the GPU."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.pointer = _created("cudaMalloc", max(1, nbytes))

    @property
    def address(self) -> int:
        assert self.pointer.value is not None
        return self.pointer.value

    def close(self) -> None:
        _call("cudaFree", self.pointer)


def to_device(host: PinnedArray, device: DeviceArray, stream: CudaStream) -> Callable[[], int]:
    """A function that copies an array to the GPU; it returns 0 if that was accepted."""
    copy = library().cudaMemcpyAsync
    return functools.partial(
        copy, device.pointer, host.pointer, host.nbytes, _TO_DEVICE, stream.handle
    )


def to_host(device: DeviceArray, host: PinnedArray, stream: CudaStream) -> Callable[[], int]:
    """A function that copies an array from the GPU; it returns 0 if that was accepted."""
    copy = library().cudaMemcpyAsync
    return functools.partial(
        copy, host.pointer, device.pointer, host.nbytes, _TO_HOST, stream.handle
    )


def within_device(
    source: DeviceArray, target: DeviceArray, stream: CudaStream
) -> Callable[[], int]:
    """A function that copies an array to another one on the GPU; it returns 0 if accepted."""
    copy = library().cudaMemcpyAsync
    return functools.partial(
        copy, target.pointer, source.pointer, source.nbytes, _WITHIN, stream.handle
    )


class CudaGraph:
    """Work that was captured once and is then started as a whole."""

    def __init__(self, stream: CudaStream, work: Callable[[], None]) -> None:
        _call("cudaStreamBeginCapture", stream.handle, _THREAD_LOCAL)
        graph = ctypes.c_void_p()
        try:
            work()
        finally:  # a stream that stays in this state can do nothing else
            code = library().cudaStreamEndCapture(stream.handle, ctypes.byref(graph))
        _check("cudaStreamEndCapture", code)
        self._handle = _created("cudaGraphInstantiateWithFlags", graph, 0)
        _call("cudaGraphDestroy", graph)
        self._launch = functools.partial(library().cudaGraphLaunch, self._handle, stream.handle)

    def launch(self) -> None:
        """Start the work once."""
        _check("cudaGraphLaunch", self._launch())

    def close(self) -> None:
        _call("cudaGraphExecDestroy", self._handle)
