"""Converting ONNX models to int8 with ONNX Runtime's quantizer.

The ranges of activations are measured in advance on sets of inputs (static), or at every run
(dynamic).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from turnkeyml.build.onnx_facts import operators_of
from turnkeyml.build.onnx_graph import ONE_FILE_BYTES, data_files, has_half_precision, input_dtypes
from turnkeyml.cache import fed
from turnkeyml.errors import BuildError
from turnkeyml.verify import Outputs

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime.quantization import CalibrationDataReader

MOST_BYTES = 2 * 10**9
"""The weights of a model that the quantizer, which works on a single protobuf message, can hold."""

STATIC_OPERATORS = [
    *("Conv", "ConvTranspose", "Gemm", "MatMul"),
    *("Add", "AveragePool", "Clip", "Concat", "GlobalAveragePool", "MaxPool", "Relu"),
    *("Pad", "Reshape", "Resize", "Squeeze", "Transpose", "Unsqueeze"),
]
"""Products, and what lies between them and computes in int8 as exactly. Normalizations, Softmax and
products of activations with scales lose most in int8 and take little time."""
DYNAMIC_OPERATORS = ["Attention", "LSTM", "MatMul"]
"""What ONNX Runtime has fast kernels for; it turns Gemm into MatMul by itself. Its kernel for
ConvInteger is many times as slow as one for floats."""


def quantize_statically(source: Path, target: Path, sets: Sequence[Outputs]) -> None:
    """Write a model whose weights and activations are int8, with ranges seen on sets of inputs.

    Weights are signed and have one scale per channel; activations are unsigned.
    """
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    _require_quantizable(source)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        quantize_static(
            _prepared(source, Path(folder)),
            target,
            _reader(source, sets),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=STATIC_OPERATORS,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            use_external_data_format=_is_large(source),
        )
    _require_quantized(target, "convolution or matrix product")


def quantize_dynamically(source: Path, target: Path) -> None:
    """Write a model whose weights are int8, and whose activations get their range at every run."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    _require_quantizable(source)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        quantize_dynamic(
            _prepared(source, Path(folder)),
            target,
            op_types_to_quantize=DYNAMIC_OPERATORS,
            per_channel=True,
            weight_type=QuantType.QInt8,
            use_external_data_format=_is_large(source),
            # Without shapes of every value, as in bodies of loops, it assumes this type.
            extra_options={"DefaultTensorType": 1},
        )
    _require_quantized(target, "matrix product")


def _reader(model: Path, sets: Iterable[Outputs]) -> CalibrationDataReader:
    """Return what hands the quantizer the sets of inputs, on which it measures ranges."""
    from onnxruntime.quantization import CalibrationDataReader

    class Inputs(CalibrationDataReader):  # type: ignore[misc]
        """Hands the quantizer one set of inputs after the other, in the dtypes of the graph."""

        def __init__(self, model: Path, sets: Iterable[Outputs]) -> None:
            wanted = input_dtypes(model)
            self._sets = [fed(inputs, wanted) for inputs in sets]
            self._left = iter(self._sets)

        def get_next(self) -> dict[str, np.ndarray] | None:
            """The next set; None after the last."""
            return next(self._left, None)

        def rewind(self) -> None:
            """Start again with the first set."""
            self._left = iter(self._sets)

    return Inputs(model, sets)


def _prepared(source: Path, folder: Path) -> Path:
    """The model with the shapes of all values, which the quantizer needs."""
    from onnxruntime.quantization import quant_pre_process

    target = folder / source.name
    quant_pre_process(
        source,
        target,
        skip_optimization=True,
        skip_symbolic_shape=True,
        save_as_external_data=_is_large(source),
    )
    return target


def _require_quantizable(source: Path) -> None:
    if has_half_precision(source):
        raise BuildError("int8 is made from fp32, and the model has numbers in fp16 or bf16")
    size = _bytes(source)
    if size > MOST_BYTES:
        raise BuildError(
            f"ONNX Runtime's quantizer takes models of up to 2 GB, and this one has "
            f"{size / 1e9:.1f} GB"
        )


def _require_quantized(target: Path, products: str) -> None:
    if not any("Quantize" in name or "Integer" in name for name in operators_of(target)):
        raise BuildError(
            f"nothing in the model can be converted to int8: it has no {products} with constant "
            "weights"
        )


def _bytes(path: Path) -> int:
    return sum(file.stat().st_size for file in (path, *data_files(path)))


def _is_large(path: Path) -> bool:
    return _bytes(path) > ONE_FILE_BYTES
