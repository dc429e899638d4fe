"""ONNX Runtime on the CPU."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import onnxruntime

from turnkeyml.cache.arrays import BFLOAT16, load_arrays
from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.session import OnnxRequest

__all__ = ["LIBRARY", "OrtSession", "feed", "open_session", "unsound_optimizers", "version"]

LIBRARY = "onnxruntime"

_NUMPY = {
    "tensor(float16)": np.float16,
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int8)": np.int8,
    "tensor(int16)": np.int16,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(uint8)": np.uint8,
    "tensor(uint16)": np.uint16,
    "tensor(uint32)": np.uint32,
    "tensor(uint64)": np.uint64,
    "tensor(bool)": np.bool_,
}
_ONNX_BFLOAT16 = 16


def version() -> str:
    """The version of the installed ONNX Runtime."""
    return str(onnxruntime.__version__)


def open_session(request: OnnxRequest) -> OrtSession:
    """Load an ONNX file for measuring."""
    return OrtSession(request.model, load_arrays(Path(request.inputs)), request.threads)


def unsound_optimizers(model: str) -> list[str]:
    """Those of ONNX Runtime's optimizers that would change what a model computes.

    There is one: it moves zeros around an image into the MaxPool behind them, which has infinitely
    negative numbers there. After a Relu that is the same.
    """
    with Path(model).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as it:
        if it.find(b"MaxPool") < 0:
            return []
    import onnx

    nodes = onnx.load(model, load_external_data=False).graph.node
    makers = {name: node for node in nodes for name in node.output}
    for pool in (node for node in nodes if node.op_type == "MaxPool"):
        pad = makers.get(pool.input[0])
        if pad is not None and pad.op_type == "Pad":
            before = makers.get(pad.input[0])
            if before is None or before.op_type != "Relu":
                return ["Pad_Fusion"]
    return []


class OrtSession:
    """An ONNX Runtime session with its inputs bound once, so that a run is the inference alone."""

    changes_inputs = False

    def __init__(
        self,
        model: str,
        inputs: dict[str, np.ndarray],
        threads: int,
        level: str = "all",
        prepacking: bool = True,
    ) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        if level == "none":
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        if not prepacking:
            options.add_session_config_entry("session.disable_prepacking", "1")
        unsound = unsound_optimizers(model)
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=unsound
        )
        self.settings = {
            "providers": self._session.get_providers(),
            "intra_op_num_threads": threads,
            "inter_op_num_threads": 1,
            "graph_optimization_level": level,
            "io_binding": True,
        }
        if unsound:
            self.settings["disabled_optimizers"] = unsound
        self._binding = self._session.io_binding()
        self._inputs = feed(self._session, inputs)
        for name, value in self._inputs.items():
            self._binding.bind_ortvalue_input(name, value)
        for output in self._session.get_outputs():
            self._binding.bind_output(output.name)

    def prepare(self) -> None:
        """Nothing: ONNX Runtime never writes to its inputs."""

    def run(self) -> None:
        self._session.run_with_iobinding(self._binding)

    def outputs(self) -> dict[str, np.ndarray]:
        self.run()
        names = [output.name for output in self._session.get_outputs()]
        values = self._binding.get_outputs()
        return {n: _to_numpy(v) for n, v in zip(names, values, strict=True)}


def feed(
    session: onnxruntime.InferenceSession, inputs: dict[str, np.ndarray]
) -> dict[str, onnxruntime.OrtValue]:
    """The recorded inputs as the session wants them: by its names, in its types."""
    values = {}
    for wanted in session.get_inputs():
        if wanted.name + BFLOAT16 in inputs:
            array, bfloat16 = inputs[wanted.name + BFLOAT16], True
        elif wanted.name in inputs:
            array, bfloat16 = inputs[wanted.name], False
        else:
            raise MeasureError(
                f"The model wants an input {wanted.name!r} that was not recorded; "
                f"recorded are: {', '.join(inputs)}."
            )
        values[wanted.name] = _to_ortvalue(array, bfloat16, wanted.type)
    return values


def _to_ortvalue(array: np.ndarray, bfloat16: bool, wanted: str) -> onnxruntime.OrtValue:
    if bfloat16 and wanted == "tensor(bfloat16)":
        make = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
        return make(np.ascontiguousarray(array), _ONNX_BFLOAT16)
    if bfloat16:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    if wanted not in _NUMPY:
        raise MeasureError(f"Inputs of type {wanted} cannot be fed to ONNX Runtime by turnkey.")
    dtype = _NUMPY[wanted]
    return onnxruntime.OrtValue.ortvalue_from_numpy(
        np.require(array, dtype=dtype, requirements=["C", "O"]), "cpu", 0
    )


def _to_numpy(value: onnxruntime.OrtValue) -> np.ndarray:
    return np.asarray(value.numpy())
