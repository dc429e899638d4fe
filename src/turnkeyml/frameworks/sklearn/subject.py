"""A fitted estimator with the table of one call."""

from __future__ import annotations

import hashlib
import pickle
import sys
from typing import Any

import numpy as np

from turnkeyml.build import Stage, Subject, digest
from turnkeyml.errors import describe
from turnkeyml.frameworks.sklearn.estimators import fingerprint, outputs_of
from turnkeyml.frameworks.sklearn.tables import Layout, Texts, table_of
from turnkeyml.nouns import InvocationRecord
from turnkeyml.verify import Outputs, Reference, agree

RUNS = 8
"""How often a model is run that does not repeat its predictions."""


class SklearnSubject(Subject):
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
