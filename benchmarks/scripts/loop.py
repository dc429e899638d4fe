"""The loop that a careful person writes around ONNX Runtime; prints the mean in milliseconds.

usage: loop.py BUILD_FOLDER
"""

import os
import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime

folder = Path(sys.argv[1])
model = max((folder / "onnx").glob("*.onnx"), key=lambda path: len(path.name))
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

begin = time.perf_counter()
runs = 0
while runs < 5 or time.perf_counter() - begin < 0.5:
    session.run_with_iobinding(binding)
    runs += 1
times = []
for _ in range(100):
    start = time.perf_counter_ns()
    session.run_with_iobinding(binding)
    times.append(time.perf_counter_ns() - start)
print(np.mean(times) / 1e6)
