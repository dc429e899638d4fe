"""Exporting a live Keras model to ONNX with Keras's own ``export``."""

from __future__ import annotations

import sys
from typing import Any

from turnkeyml import structure
from turnkeyml.build import MODEL, ONNX, Stage, Workbench, check_onnx, opset_of
from turnkeyml.errors import BuildError
from turnkeyml.frameworks.keras.backends import backend_name, missing_exporter, no_gradients
from turnkeyml.frameworks.keras.models import from_numpy, preserved
from turnkeyml.frameworks.keras.repairs import repair
from turnkeyml.frameworks.keras.subject import KerasSubject


class ExportKeras(Stage):
    """Export with the shapes of the call, and verify the file."""

    name = "export_keras"
    message = "Exporting Keras to ONNX"
    needs = frozenset({MODEL})
    yields = frozenset({ONNX})

    def fire(self, bench: Workbench) -> None:
        subject = bench.subject
        if not isinstance(subject, KerasSubject):
            raise BuildError("export_keras exports Keras models only; leave it out of the sequence")
        if missing := missing_exporter():
            raise BuildError(missing)
        path = bench.work / bench.onnx_name("base")
        with preserved(subject.model), no_gradients():
            _export(subject, str(path), bench.opset)
        repair(path)
        written = opset_of(path)
        if written != bench.opset and bench.opset_was_chosen:
            raise BuildError(f"opset {bench.opset} was requested, but Keras wrote opset {written}")
        bench.artifacts[ONNX] = path
        bench.facts["onnx_opset"] = written
        bench.facts["exporter"] = f"keras ({backend_name()})"
        bench.facts["precision"] = subject.precision
        bench.verdicts[path.name] = check_onnx(
            str(path), bench.reference, subject.precision, bench.threads, may_specialise=True
        )


def _export(subject: KerasSubject, path: str, opset: int) -> None:
    keras = sys.modules["keras"]
    arrays = structure.leaves((subject.args, subject.kwargs)).values()
    flat = _flattened(subject)
    flat([from_numpy(array) for array in arrays])  # only a model that was called can be exported
    specs = [
        keras.InputSpec(shape=array.shape, dtype=str(array.dtype), name=name)
        for name, array in zip(subject.input_names(), arrays, strict=True)
    ]
    flat.export(path, format="onnx", verbose=False, input_signature=[specs], opset_version=opset)


def _flattened(subject: KerasSubject) -> Any:
    """A model around the subject's that takes a list of tensors and returns one.

    A model may take and return keywords, nested dicts and flags. ONNX has only tensors.
    """
    keras = sys.modules["keras"]

    class Flattened(keras.Model):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__(autocast=False)
            self.model = subject.model

        def call(self, tensors: list[Any]) -> list[Any]:
            args, kwargs = subject.arguments(iter(tensors))
            return list(structure.leaves(self.model(*args, **kwargs), "output").values())

    return Flattened()
