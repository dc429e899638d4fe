"""Load a TensorRT engine and measure it, by hand: numpy, TensorRT and the CUDA runtime alone.

    python trt_engine.py FILE.engine [SECONDS] [WARM_UP_SECONDS]

Warm-up (0.5 s), host time for so many seconds (3), device time of 1,000 runs, and a loop of 1.2 s,
in which turnkey counts the energy.
"""

import ctypes
import statistics
import sys
import time

started = time.perf_counter()
import numpy as np  # noqa: E402 - how long it takes is part of what is printed

try:
    import tensorrt as trt
except ImportError:
    import tensorrt_bindings as trt

cudart = ctypes.CDLL("libcudart.so.12")
POINTER, SIZE, INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
cudart.cudaMemcpyAsync.argtypes = [POINTER, POINTER, SIZE, INT, POINTER]


def made(function, *arguments):
    pointer = ctypes.c_void_p()
    assert getattr(cudart, function)(ctypes.byref(pointer), *arguments) == 0, function
    return pointer


imported = time.perf_counter()
logger = trt.Logger(trt.Logger.ERROR)
trt.init_libnvinfer_plugins(logger, "")
with open(sys.argv[1], "rb") as file:
    engine = trt.Runtime(logger).deserialize_cuda_engine(file.read())
context = engine.create_execution_context()
stream = made("cudaStreamCreateWithFlags", 1)
copies_in, copies_out = [], []
for i in range(engine.num_io_tensors):
    name = engine.get_tensor_name(i)
    size = trt.volume(engine.get_tensor_shape(name)) * engine.get_tensor_dtype(name).itemsize
    host = made("cudaHostAlloc", ctypes.c_size_t(size), 0)
    device = made("cudaMalloc", ctypes.c_size_t(size))
    np.ctypeslib.as_array((ctypes.c_byte * size).from_address(host.value))[:] = 0
    context.set_tensor_address(name, device.value)
    if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT:
        copies_in.append((device, host, size, 1, stream))
    else:
        copies_out.append((host, device, size, 2, stream))


def run():
    for copy in copies_in:
        cudart.cudaMemcpyAsync(*copy)
    context.execute_async_v3(stream.value)
    for copy in copies_out:
        cudart.cudaMemcpyAsync(*copy)
    cudart.cudaStreamSynchronize(stream)


def loop(seconds):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return times


loaded = time.perf_counter()
loop(float(sys.argv[3]) if len(sys.argv) > 3 else 0.5)
host_ms = statistics.median(loop(float(sys.argv[2]) if len(sys.argv) > 2 else 3.0)) * 1e3
timed = time.perf_counter()
events = [(made("cudaEventCreate"), made("cudaEventCreate")) for _ in range(1000)]
for begin, end in events:
    cudart.cudaEventRecord(begin, stream)
    context.execute_async_v3(stream.value)
    cudart.cudaEventRecord(end, stream)
cudart.cudaStreamSynchronize(stream)
elapsed = []
for begin, end in events:
    value = ctypes.c_float()
    cudart.cudaEventElapsedTime(ctypes.byref(value), begin, end)
    elapsed.append(value.value)
loop(1.2)
print(
    f"host {host_ms:.4f} ms, device {statistics.median(elapsed):.4f} ms; seconds: "
    f"import {imported - started:.2f}, load {loaded - imported:.2f}, "
    f"warm up and time {timed - loaded:.2f}, the rest {time.perf_counter() - timed:.2f}"
)
