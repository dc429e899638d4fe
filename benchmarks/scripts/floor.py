"""The least a cold run of hello_world can be: everything by hand, nothing kept, nothing checked."""

import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.transformers.float16 import convert_float_to_float16

torch.manual_seed(0)


class SmallModel(torch.nn.Module):
    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, output_size)

    def forward(self, x):
        return self.fc(x)


model = SmallModel(11, 5)
x = torch.rand(11)
model(x)

with tempfile.TemporaryDirectory() as name:
    base, optimized, half = (str(Path(name) / f) for f in ("base.onnx", "opt.onnx", "half.onnx"))
    torch.onnx.export(model, (x,), base, opset_version=18, input_names=["x"], dynamo=False)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = optimized
    onnxruntime.InferenceSession(base, options)
    onnx.save(convert_float_to_float16(onnx.load(optimized)), half)
    session = onnxruntime.InferenceSession(half)
    inputs = {"x": x.numpy().astype(np.float16)}
    times = []
    for _ in range(100):
        begin = time.perf_counter()
        session.run(None, inputs)
        times.append(time.perf_counter() - begin)
print(np.mean(times) * 1e3)
