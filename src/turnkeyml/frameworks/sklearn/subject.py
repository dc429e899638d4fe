"""A fitted estimator with the table of one call, which is kept as named arrays."""

from __future__ import annotations

import hashlib
import pickle
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.build import CapturedModel, Stage, digest
from turnkeyml.errors import TurnkeyError, UsageError, describe
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.sklearn import estimators
from turnkeyml.frameworks.sklearn.estimators import fingerprint, outputs_of
from turnkeyml.nouns import InvocationRecord
from turnkeyml.verify import Outputs, Reference, agree

RUNS = 8
"""How often a model is run that does not repeat its predictions."""

MOST_ELEMENTS = 2**28
"""A sparse table with more elements than this is not made dense."""

MATRIX, FRAME, TEXTS, DMATRIX = "matrix", "frame", "texts", "DMatrix"


class Texts:
    """An array of strings that the register of calls treats as a tensor."""

    dtype = "string"

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.shape = array.shape

    def copy(self) -> Texts:
        return Texts(self.array.copy())


structure.register_types(tensor=Texts, model=Texts)


@dataclass(frozen=True)
class Layout:
    """How the arrays form a table, and the other arguments of the call."""

    kind: str
    columns: tuple[Any, ...] = ()
    dtypes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """Arguments that change what is computed, as ``name=value``."""


class SklearnSubject(CapturedModel):
    """An estimator as the subject of a build."""

    framework = "sklearn"
    default_sequence = "optimize-fp32"

    def __init__(
        self, record: InvocationRecord, model: Any, layout: Layout, arrays: dict[str, Any]
    ) -> None:
        super().__init__(record)
        self.model = model
        self.layout = layout
        self.inputs: Outputs = {
            name: array.array if isinstance(array, Texts) else np.asarray(array)
            for name, array in arrays.items()
        }

    @property
    def precision(self) -> str:
        """That of the table: the libraries compute in at least as much."""
        floats = {a.dtype for a in self.inputs.values() if a.dtype.kind == "f"}
        return "fp32" if floats == {np.dtype(np.float32)} else "fp64"

    def key(self, opset: int) -> dict[str, str]:
        return {
            "opset": str(opset),
            "model": fingerprint(self.model),
            "weights": _learned(self.model),
        }

    def compute_reference(self, threads: int) -> Reference:
        first, second = self._predict(self.inputs), self._predict(self.inputs)
        if agree(first, second):
            return self._reference_of(self.inputs, first)
        repeats = (second, *(self._predict(self.inputs) for _ in range(2, RUNS)))
        return Reference(
            self.inputs, first, precision=self.precision, deterministic=False, repeats=repeats
        )

    def compute_on(self, inputs: Outputs) -> Reference:
        return self._reference_of(inputs, self._predict(inputs))

    def _reference_of(self, inputs: Outputs, outputs: Outputs) -> Reference:
        """The predictions, and those for a table rounded to fp32.

        A converted model compares with rounded thresholds. Where rounding the table turns a
        decision of the original, it may turn that of the converted model; elsewhere it may not.
        """

        def rounded(precision: str) -> Outputs | None:
            if precision != "fp32":
                return None
            table = {n: _rounded(a) if a.dtype.kind == "f" else a for n, a in inputs.items()}
            try:
                return self._predict(table)
            except Exception as error:  # noqa: BLE001 - then nothing is known of that precision
                print(f"The original fails on rounded inputs: {describe(error)}", flush=True)
                return None

        return Reference(inputs, outputs, precision=self.precision, compute=rounded)

    def _predict(self, inputs: Outputs) -> Outputs:
        return outputs_of(self.model, table_of(self.layout, inputs))

    def receiving_stage(self) -> Stage:
        from turnkeyml.frameworks.sklearn.export import ExportSklearn

        return ExportSklearn()


def _rounded(array: np.ndarray) -> np.ndarray:
    """The values that fp32 has, in the dtype of the array."""
    with np.errstate(over="ignore"):
        return array.astype(np.float32).astype(array.dtype)


def _state(value: Any) -> Any:
    """The attributes of an estimator and of those in it, without addresses in memory."""
    if isinstance(value, (list, tuple)):
        return [_state(item) for item in value]
    if type(value).__module__.startswith("sklearn.") and hasattr(value, "get_params"):
        kept = {name: _state(v) for name, v in vars(value).items() if name != "_stop_words_id"}
        return type(value).__qualname__, kept
    return value


def _learned(model: Any) -> str:
    """A digest of all that was learned."""
    try:
        if "joblib" in sys.modules:  # unlike a pickle, the same for sets in another order
            import joblib

            return str(joblib.hash(_state(model)))
        return hashlib.sha256(pickle.dumps(model)).hexdigest()
    except Exception as error:  # noqa: BLE001 - a function of the script may not be picklable
        print(f"The model cannot be pickled, so that it is built again: {describe(error)}")
        return digest(str(id(model)))


def subject_of(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SklearnSubject:
    """An estimator with the table of one call; the caller names its build."""
    tables = [*args, *kwargs.values()]
    if len(tables) != 1:
        raise UsageError(
            f"A {type(model).__name__} predicts from one table; pass inputs=(X,), "
            f"not {len(tables)} inputs."
        )
    layout, arrays = arrays_of(tables[0])
    shapes, dtypes = structure.shapes(arrays), structure.dtypes(arrays)
    model_hash = hash_model(estimators.text_of(model))
    parameters, parameter_bytes = estimators.count_parameters(model)
    record = InvocationRecord(
        name=type(model).__name__,
        model_type=estimators.model_type(model),
        class_name=type(model).__name__,
        class_repr=str(type(model)),
        file="",
        line=0,
        parameters=parameters,
        parameter_bytes=parameter_bytes,
        model_hash=model_hash,
        hash=hash_invocation(model_hash, None, shapes, dtypes),
        parent_hash=None,
        depth=0,
        shapes=shapes,
        dtypes=dtypes,
        build_name="",
    )
    return SklearnSubject(record, model, layout, arrays)


def arrays_of(table: Any, options: tuple[str, ...] = ()) -> tuple[Layout, dict[str, Any]]:
    """The layout and the arrays of a table: one array, or one per column of a data frame."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        return _of_frame(table, options)
    if pandas is not None and isinstance(table, pandas.Series):
        table = table.to_numpy()
    if type(table).__name__ == "DMatrix":
        return Layout(DMATRIX, options=options), {"X": _missing_as_nan(table)}
    if hasattr(table, "toarray"):
        if int(np.prod(table.shape, dtype=np.int64)) > MOST_ELEMENTS:
            raise TurnkeyError("a sparse table of this size cannot be made dense")
        table = table.toarray()
    array = np.asarray(table)
    if array.dtype.kind in "OUS":
        kind = TEXTS if array.ndim == 1 else MATRIX
        return Layout(kind, options=options), {"X": _texts_or_numbers(array)}
    return Layout(MATRIX, dtypes=(str(array.dtype),), options=options), {"X": array}


def _of_frame(frame: Any, options: tuple[str, ...]) -> tuple[Layout, dict[str, Any]]:
    dtypes = tuple(str(dtype) for dtype in frame.dtypes)
    columns = tuple(frame.columns)
    layout = Layout(FRAME, columns, dtypes, options)
    found: dict[str, Any] = {}
    for column in columns:
        values = frame[column].to_numpy()
        array = values.reshape(-1, 1)
        found[str(column)] = _texts_or_numbers(array) if array.dtype.kind in "OUSM" else array
    return layout, found


def _texts_or_numbers(array: np.ndarray) -> Any:
    """Strings wrapped; objects that are numbers as numbers."""
    if array.dtype == object and not any(isinstance(v, str) for v in array.ravel()):
        return array.astype(np.float64)
    return Texts(array.astype(str).astype(object))


def _missing_as_nan(matrix: Any) -> np.ndarray:
    """The values of an ``xgboost.DMatrix``, in which what is not stored is missing."""
    rows = matrix.get_data()
    dense = np.full(rows.shape, np.nan, np.float32)
    coordinates = rows.tocoo()
    dense[coordinates.row, coordinates.col] = coordinates.data
    return dense


def table_of(layout: Layout, arrays: dict[str, np.ndarray]) -> Any:
    """The table that arrays form: what the model was called with."""
    if layout.kind == DMATRIX:
        import xgboost

        return xgboost.DMatrix(arrays["X"])
    if layout.kind != FRAME:
        return arrays["X"]
    import pandas

    named = zip(layout.columns, layout.dtypes, arrays.values(), strict=True)
    return pandas.DataFrame({c: pandas.Series(a[:, 0]).astype(d) for c, d, a in named})
