"""Converting an estimator to an ONNX model with skl2onnx or onnxmltools."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import onnx

from turnkeyml.errors import BuildError, describe
from turnkeyml.frameworks.sklearn.estimators import library_of
from turnkeyml.frameworks.sklearn.tables import FRAME, MATRIX, Layout
from turnkeyml.verify import Outputs

ML_OPSET = 3
"""The opset of the operators of classical machine learning."""
OLDER_OPSET = 15
"""The newest opset that onnxmltools converts boosted trees to."""


def converter_of(model: Any) -> str:
    """The package that converts a model; a build error if it is not installed."""
    library = library_of(model)
    needed = ["skl2onnx"] if library == "sklearn" else ["skl2onnx", "onnxmltools"]
    for package in needed:
        if find_spec(package) is None:
            kind = type(model).__name__
            raise BuildError(f"Converting a {kind} to ONNX needs {package}: pip install {package}")
    return needed[-1]


def convert(
    model: Any, layout: Layout, inputs: Outputs, precision: str, opset: int
) -> onnx.ModelProto:
    """The ONNX model of an estimator whose floating-point inputs are of a precision."""
    converter = converter_of(model)
    with warnings.catch_warnings(), _plain_attributes():
        warnings.simplefilter("ignore")
        if converter == "skl2onnx":
            return _with_skl2onnx(model, layout, inputs, precision, opset)
        return _with_onnxmltools(model, inputs, opset)


def _with_skl2onnx(
    model: Any, layout: Layout, inputs: Outputs, precision: str, opset: int
) -> onnx.ModelProto:
    import skl2onnx

    _register_boosters()
    newest = min(opset, skl2onnx.__max_supported_opset__)
    columns = [(n, _type(a, precision, layout)) for n, a in inputs.items()]
    matrix = _matrix_type(inputs, precision)

    def converted(types: list[tuple[str, Any]]) -> onnx.ModelProto:
        targets = {"": newest, "ai.onnx.ml": ML_OPSET}
        made: onnx.ModelProto = skl2onnx.convert_sklearn(model, None, types, target_opset=targets)
        return made

    if matrix is None:
        return converted(columns)
    try:
        return converted(matrix)
    except Exception as error:  # noqa: BLE001 - a model that chooses columns by name
        print(f"Not converted with one input for all columns: {describe(error)}", flush=True)
        return converted(columns)


def _matrix_type(inputs: Outputs, precision: str) -> list[tuple[str, Any]] | None:
    """One input for all columns of a data frame of numbers; None for anything else."""
    if len(inputs) < 2 or any(a.dtype.kind not in "iufb" for a in inputs.values()):
        return None
    array = np.concatenate([a.astype(np.float64) for a in inputs.values()], axis=1)
    return [("X", _type(array, precision, Layout(MATRIX)))]


def _type(array: np.ndarray, precision: str, layout: Layout) -> Any:
    """The type of an input of the converted model. Of a matrix of numbers it is always floats."""
    from skl2onnx.common.data_types import (
        DoubleTensorType,
        FloatTensorType,
        Int64TensorType,
        StringTensorType,
    )

    shape = [None, *array.shape[1:]]
    if array.dtype.kind in "OUS":
        return StringTensorType(shape)
    if layout.kind == FRAME and array.dtype.kind in "iub":
        return Int64TensorType(shape)
    return (DoubleTensorType if precision == "fp64" else FloatTensorType)(shape)


def _with_onnxmltools(model: Any, inputs: Outputs, opset: int) -> onnx.ModelProto:
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType

    columns = sum(a.shape[1] for a in inputs.values())
    function = {
        "xgboost": onnxmltools.convert_xgboost,
        "lightgbm": onnxmltools.convert_lightgbm,
    }[library_of(model)]
    settings = {"zipmap": False} if library_of(model) == "lightgbm" else {}
    made: onnx.ModelProto = function(
        model,
        initial_types=[("X", FloatTensorType([None, columns]))],
        target_opset=min(opset, OLDER_OPSET),
        **settings,
    )
    return made


@contextlib.contextmanager
def _plain_attributes() -> Iterator[None]:
    """Within the block, attributes are made of Python's integers (``BOOLEANS_IN_ATTRIBUTES``)."""
    original = onnx.helper.make_attribute

    def make_attribute(key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        several = isinstance(value, (list, tuple, np.ndarray)) and len(value) > 0
        if several and all(isinstance(v, (bool, np.bool_, np.integer)) for v in value):
            value = [int(v) for v in value]
        return original(key, value, *args, **kwargs)

    onnx.helper.make_attribute = make_attribute
    try:
        yield
    finally:
        onnx.helper.make_attribute = original


def _register_boosters() -> None:
    """Have skl2onnx convert pipelines that end with a model of XGBoost or LightGBM."""
    if find_spec("onnxmltools") is None:
        return
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import (
        calculate_linear_classifier_output_shapes,
        calculate_linear_regressor_output_shapes,
    )

    for library, classifier, regressor in (
        ("xgboost", "XGBClassifier", "XGBRegressor"),
        ("lightgbm", "LGBMClassifier", "LGBMRegressor"),
    ):
        module = sys.modules.get(library)
        if module is None:
            continue
        function = _converter_function(library)
        for name, shapes in (
            (classifier, calculate_linear_classifier_output_shapes),
            (regressor, calculate_linear_regressor_output_shapes),
        ):
            options = {"zipmap": [True, False, "columns"], "nocl": [True, False]}
            update_registered_converter(
                getattr(module, name),
                f"Turnkey{name}",
                shapes,
                function,
                options=options if name == classifier else None,
            )


def _converter_function(library: str) -> Any:
    if library == "xgboost":
        from onnxmltools.convert.xgboost.operator_converters.XGBoost import convert_xgboost

        return convert_xgboost
    from onnxmltools.convert.lightgbm.operator_converters.LightGbm import convert_lightgbm

    return convert_lightgbm
