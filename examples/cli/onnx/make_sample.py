"""Makes sample.onnx beside this file: an ONNX model to try turnkey on.

turnkey examples/cli/onnx/sample.onnx
"""

from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

random = np.random.default_rng(0)
weight = numpy_helper.from_array(random.standard_normal((10, 5)).astype(np.float32), "weight")
bias = numpy_helper.from_array(random.standard_normal(5).astype(np.float32), "bias")
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "weight", "bias"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["y"]),
    ],
    "sample",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 10])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])],
    [weight, bias],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
checker.check_model(model)
save(model, str(Path(__file__).with_name("sample.onnx")))
