"""The loop that a careful person writes around ONNX Runtime.

usage: loop.py BUILD_FOLDER [--naive | --serve | --warm-up SECONDS]

Prints the median and the mean of 100 runs after a warm-up of 0.5 s, or as given, in milliseconds.
--naive leaves out the warm-up. --serve reads numbers of runs from standard input, one a line, and
answers each with the median of so many runs in nanoseconds.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

folder, mode = Path(sys.argv[1]), sys.argv[2:]
# The last that was written is the one that turnkey measures.
model = max((folder / "onnx").glob("*.onnx"), key=lambda path: path.stat().st_mtime_ns)
recorded = np.load(folder / "inputs_original.npz")

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = len(os.sched_getaffinity(0))
options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(str(model), options)
binding = session.io_binding()
for wanted in session.get_inputs():
    array = recorded[wanted.name]
    if wanted.type == "tensor(float16)":
        array = array.astype(np.float16)
    binding.bind_ortvalue_input(wanted.name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
for output in session.get_outputs():
    binding.bind_output(output.name)


def warm_up(seconds, least=5):
    begin = time.perf_counter()
    runs = 0
    while runs < least or time.perf_counter() - begin < seconds:
        session.run_with_iobinding(binding)
        runs += 1


def measure(runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter_ns()
        session.run_with_iobinding(binding)
        times.append(time.perf_counter_ns() - start)
    return times


if "--serve" in mode:
    warm_up(0.5)
    print("ready", flush=True)
    for line in sys.stdin:
        warm_up(0.01, least=1)
        print(np.median(measure(int(line))), flush=True)
else:
    if "--naive" not in mode:
        warm_up(float(mode[1]) if "--warm-up" in mode else 0.5)
    found = measure(100)
    print(np.median(found) / 1e6, np.mean(found) / 1e6)
