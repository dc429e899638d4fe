"""Converting an estimator to ONNX with skl2onnx or onnxmltools.

The file is in fp32 first, as such models are deployed. If it does not predict what the original
does, because the original decides by digits that fp32 lacks, the stage converts to fp64.

Converters add what is not asked for: a list of maps instead of the probabilities, the scores of an
outlier detector, a column where the original returns a list. ``adapt`` gives a converted model the
inputs and outputs of the original.
"""

from __future__ import annotations

import contextlib
import locale
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from turnkeyml.build import MODEL, ONNX, BuildContext, Stage, check_onnx, opset_of
from turnkeyml.errors import BuildError, describe
from turnkeyml.frameworks.sklearn.estimators import library_of
from turnkeyml.frameworks.sklearn.subject import FRAME, MATRIX, Layout, SklearnSubject
from turnkeyml.nouns import Verdict, Verification
from turnkeyml.verify import Outputs

ML_OPSET = 3
"""The opset of the operators of classical machine learning."""

OLDER_OPSET = 15
"""The newest opset that onnxmltools converts boosted trees to."""

Run = Callable[[onnx.ModelProto], Outputs]


class ExportSklearn(Stage):
    """Convert to fp32, or to fp64 if that does not verify."""

    name = "export_sklearn"
    message = "Converting the estimator to ONNX"
    needs = frozenset({MODEL})
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        assert isinstance(bench.subject, SklearnSubject)
        converter = converter_of(bench.model)
        attempts: list[_Attempt] = []
        for precision in ("fp32", "fp64") if converter == "skl2onnx" else ("fp32",):
            attempt = _Attempt(precision, bench, bench.subject)
            attempt.make()
            print(f"{converter} in {precision}: {attempt.outcome}", flush=True)
            attempts.append(attempt)
            if attempt.verification is not None and attempt.verification.trusted:
                break
        best = min(attempts, key=lambda a: a.rank)
        if best.verification is None:
            raise BuildError(f"{converter}: {best.outcome}")
        for other in attempts:
            if other is not best:
                other.path.unlink(missing_ok=True)
        bench.artifacts[ONNX] = best.path
        bench.verdicts[best.path.name] = best.verification
        bench.facts["exporter"] = converter
        bench.facts["exporter_reason"] = "; ".join(f"{a.precision} {a.outcome}" for a in attempts)
        bench.facts["precision"] = best.precision
        bench.facts["onnx_opset"] = opset_of(best.path)


class _Attempt:
    """One attempt to convert a model in one precision."""

    def __init__(self, precision: str, bench: BuildContext, subject: SklearnSubject) -> None:
        self.precision = precision
        self.verification: Verification | None = None
        self.outcome = ""
        self._bench, self._subject = bench, subject
        self.path: Path = bench.work / bench.onnx_name("base", precision)

    @property
    def rank(self) -> int:
        return self.verification.verdict.rank if self.verification else len(Verdict)

    def make(self) -> None:
        """Convert and verify. A failure becomes the outcome of this attempt; it does not raise."""
        try:
            self._convert()
        except Exception as error:  # noqa: BLE001 - the other precision may do better
            traceback.print_exc()
            self.outcome = f"failed ({describe(error)})"
            return
        bench = self._bench
        self.verification = check_onnx(
            str(self.path), bench.reference, self.precision, bench.threads, may_specialise=True
        )
        self.outcome = f"{self.verification.verdict} ({self.verification.reason})"

    def _convert(self) -> None:
        from turnkeyml.runtimes import run_once

        subject, bench = self._subject, self._bench

        def run(model: onnx.ModelProto) -> Outputs:
            onnx.save(model, str(self.path))
            return run_once(str(self.path), subject.inputs, bench.threads)

        made = convert(subject.model, subject.layout, subject.inputs, self.precision, bench.opset)
        adapt(made, subject.inputs, bench.reference.outputs, run)
        onnx.save(made, str(self.path))


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


def adapt(model: onnx.ModelProto, inputs: Outputs, wanted: Outputs, run: Run) -> None:
    """Give a model inputs by the names of ``inputs``, and outputs like ``wanted``.

    ``run`` returns what the model computes on the inputs.
    """
    graph = model.graph
    _choose_locale(graph)
    _take_columns(graph, inputs)
    produced = list(dict.fromkeys(_without_map(graph, output.name) for output in graph.output))
    del graph.output[:]
    graph.output.extend(onnx.ValueInfoProto(name=name) for name in produced)
    found = run(model)
    del graph.output[:]
    for position, (name, array) in enumerate(wanted.items()):
        source = _source(found, array, position)
        _add_output(graph, source, found[source], name, array)
    _drop_unused(graph)


def _choose_locale(graph: Any) -> None:
    """Have texts normalized in a locale of this machine; en_US, the default, may be missing."""
    normalizers = [node for node in graph.node if node.op_type == "StringNormalizer"]
    for node in normalizers if not _has_locale("en_US.UTF-8") else []:
        if not any(attribute.name == "locale" for attribute in node.attribute):
            node.attribute.append(helper.make_attribute("locale", "C.UTF-8"))


def _has_locale(name: str) -> bool:
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return True


def _take_columns(graph: Any, inputs: Outputs) -> None:
    """Give a model of one matrix an input for each column of a data frame."""
    if len(inputs) < 2 or len(graph.input) != 1:
        return
    matrix = graph.input[0]
    kind = matrix.type.tensor_type.elem_type
    del graph.input[:]
    graph.input.extend(helper.make_tensor_value_info(name, kind, [None, 1]) for name in inputs)
    graph.node.insert(0, helper.make_node("Concat", [*inputs], [matrix.name], axis=1))


def _without_map(graph: Any, output: str) -> str:
    """The tensor behind an output that is a list of maps."""
    for node in graph.node:
        if output in node.output and node.op_type == "ZipMap":
            return str(node.input[0])
    return output


def _source(found: Outputs, wanted: np.ndarray, position: int) -> str:
    """The computed value that an output of the original is: the first that can take its shape."""
    alike = [
        name
        for name, array in found.items()
        if (array.dtype.kind == "f") == (wanted.dtype.kind == "f") and _how(array, wanted)
    ]
    return alike[0] if alike else [*found][min(position, len(found) - 1)]


def _how(array: np.ndarray, wanted: np.ndarray) -> str:
    """How an array takes the shape of another one; empty if it cannot."""
    if array.shape == wanted.shape:
        return "as it is"
    if array.size == wanted.size:
        return "reshaped"
    if wanted.ndim == 1 and array.shape == (*wanted.shape, 2):
        return "second column"  # the probability of the second class is all that it returns
    return ""


def _add_output(graph: Any, source: str, found: np.ndarray, name: str, wanted: np.ndarray) -> None:
    how = _how(found, wanted)
    operand, operator, settings = "", "Identity", {}
    if how == "reshaped":
        operand, operator = f"turnkey_{name}_shape", "Reshape"
        value = np.array([-1, *wanted.shape[1:]], np.int64)
    elif how == "second column":
        operand, operator, settings = f"turnkey_{name}_column", "Gather", {"axis": 1}
        value = np.array(1, np.int64)
    if operand:
        graph.initializer.append(numpy_helper.from_array(value, operand))
    if source == name and not operand:
        operator = ""
    elif source == name or name in {n for node in graph.node for n in (*node.input, *node.output)}:
        _rename(graph, name, f"turnkey_{name}")
        source = f"turnkey_{name}" if source == name else source
    if operator:
        operands = [source, operand] if operand else [source]
        graph.node.append(helper.make_node(operator, operands, [name], **settings))
    kind = helper.np_dtype_to_tensor_dtype(found.dtype) if found.dtype.kind in "biuf" else 8
    shape = [None, *wanted.shape[1:]] if how else None
    graph.output.append(helper.make_tensor_value_info(name, kind, shape))


def _rename(graph: Any, old: str, new: str) -> None:
    """Rename a value of a graph."""
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]


def _drop_unused(graph: Any) -> None:
    """Remove the nodes and constants that no output depends on."""
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed |= set(node.input)
            kept.append(node)
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in reversed(kept)]
    tensors = [t for t in graph.initializer if t.name in needed]
    constants = [onnx.TensorProto.FromString(t.SerializeToString()) for t in tensors]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(constants)
