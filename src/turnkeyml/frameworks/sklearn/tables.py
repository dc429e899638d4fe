"""The table that a model predicts from, as named arrays, and back again."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.errors import TurnkeyError

MATRIX, FRAME, TEXTS, DMATRIX = "matrix", "frame", "texts", "DMatrix"

MOST_ELEMENTS = 2**28
"""A sparse table with more elements than this is not made dense."""


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
