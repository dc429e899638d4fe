"""The stage that optimizes the graph of an ONNX file."""

from __future__ import annotations

from pathlib import Path

from turnkeyml.build import onnx_files
from turnkeyml.build.held import hold_back, put_back
from turnkeyml.build.stage import ONNX, Stage, Workbench
from turnkeyml.workarounds import MATMUL_ADD_FUSION


class OptimizeOnnx(Stage):
    """Optimize the graph with ONNX Runtime, but keep it portable.

    Only the basic optimization level is saved. It uses standard operators only, so any runtime can
    load the file. ONNX Runtime applies CPU-specific optimizations each time it loads the file.
    """

    name = "optimize_onnx"
    message = "Optimizing the ONNX file"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        source = bench.artifacts[ONNX]
        # see workarounds.onnx_runtime.SAVED_WITH_CASTS
        if onnx_files.has_half_precision(source):
            print("Not optimized: for half precision ONNX Runtime would save casts to float32.")
            return
        target = bench.work / bench.onnx_name("opt")
        reduced, held = hold_back(source)
        try:
            _optimize(reduced, target, bench.threads)
        finally:
            if reduced != source:
                reduced.unlink()
        onnx_files.settle_external_data(target, source)
        put_back(target, held)
        onnx_files.drop_unused_opsets(target, source)
        onnx_files.move_weights_out(target)
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
    if source.stat().st_size > onnx_files.ONE_FILE_BYTES:  # its weights are in its graph
        entry = "session.optimized_model_external_initializers_file_name"
        options.add_session_config_entry(entry, f"{target.name}.data")
    onnxruntime.InferenceSession(
        str(source),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=[MATMUL_ADD_FUSION.target, *unsound_optimizers(str(source))],
    )
