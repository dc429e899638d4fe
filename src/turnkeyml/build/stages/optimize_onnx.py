"""The stage that optimizes the graph of an ONNX file.

ONNX Runtime folds every node whose inputs are constants. For the transposed table of a language
model that shares it with its last layer, this means a second copy of the largest weight. Such
weights are held back: they become inputs of the graph while it is optimized, and weights again
afterwards.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import onnx

from turnkeyml.build import onnx_graph
from turnkeyml.build.stage import ONNX, BuildContext, Stage
from turnkeyml.workarounds import MATMUL_ADD_FUSION

LEAST_BYTES = 1 << 20
"""Copies of smaller weights do not matter."""


class OptimizeOnnx(Stage):
    """Optimize the graph with ONNX Runtime, but keep it portable.

    Only the basic optimization level is saved. It uses standard operators only, so any runtime can
    load the file. ONNX Runtime applies CPU-specific optimizations each time it loads the file.
    """

    name = "optimize_onnx"
    message = "Optimizing the ONNX file"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        source = bench.artifacts[ONNX]
        # see workarounds.onnx_runtime.SAVED_WITH_CASTS
        if onnx_graph.has_half_precision(source):
            print("Not optimized: for half precision ONNX Runtime would save casts to float32.")
            return
        target = bench.work / bench.onnx_name("opt")
        reduced, held = hold_back(source)
        try:
            _optimize(reduced, target, bench.threads)
        finally:
            if reduced != source:
                reduced.unlink()
        onnx_graph.settle_external_data(target, source)
        put_back(target, held)
        onnx_graph.drop_unused_opsets(target, source)
        onnx_graph.move_weights_out(target)
        bench.artifacts[ONNX] = target


def _optimize(source: Path, target: Path, threads: int) -> None:
    """Have ONNX Runtime write an optimized file.

    It leaves the weights that it does not change where they are, in the data file of the source.
    """
    import onnxruntime

    from turnkeyml.runtimes import unsound_optimizers

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(target)
    options.log_severity_level = 3
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.disable_prepacking", "1")
    if source.stat().st_size > onnx_graph.ONE_FILE_BYTES:  # its weights are in its graph
        entry = "session.optimized_model_external_initializers_file_name"
        options.add_session_config_entry(entry, f"{target.name}.data")
    onnxruntime.InferenceSession(
        str(source),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=[MATMUL_ADD_FUSION.target, *unsound_optimizers(str(source))],
    )


def hold_back(source: Path) -> tuple[Path, list[Any]]:
    """A file beside ``source`` without the weights that would be copied; these weights.

    The file is ``source`` itself if there are none.
    """
    model = onnx_graph.read_graph(source)
    held = _foldable(model.graph)
    if not held:
        return source, []
    names = {tensor.name for tensor in held}
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in names]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    declared = {value.name for value in model.graph.input}
    for tensor in (t for t in held if t.name not in declared):
        value = onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        model.graph.input.append(value)
    path = source.with_name(f"{source.stem}-held.onnx")
    onnx.save(model, str(path))
    return path, held


def put_back(path: Path, held: list[Any]) -> None:
    """Make the weights that were held back weights of an optimized file."""
    if not held:
        return
    model = onnx_graph.read_graph(path)
    names = {tensor.name for tensor in held}
    inputs = [value for value in model.graph.input if value.name not in names]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.graph.initializer.extend(held)
    onnx.save(model, str(path))


def _foldable(graph: Any) -> list[Any]:
    """The large external weights from which some node computes a constant."""
    constant = {tensor.name for tensor in graph.initializer}
    constant |= {n for node in graph.node if node.op_type == "Constant" for n in node.output}
    used: set[str] = set()
    for node in graph.node:
        inputs = [name for name in node.input if name]
        if inputs and all(name in constant for name in inputs):
            used.update(inputs)
            constant.update(node.output)
    return [t for t in graph.initializer if t.name in used and _is_large(t)]


def _is_large(tensor: Any) -> bool:
    item = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    large = math.prod(tensor.dims) * item >= LEAST_BYTES
    return bool(large and tensor.data_location == onnx.TensorProto.EXTERNAL)
