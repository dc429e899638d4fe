"""An ONNX file with input values, and the stage that copies the file into a build."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.build import (
    ONNX,
    BuildContext,
    CapturedModel,
    Stage,
    copy_model,
    digest,
    file_digest,
    opset_of,
)
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.frameworks.hashes import hash_invocation
from turnkeyml.nouns import InvocationRecord, OutputOperator
from turnkeyml.system import usable_cores
from turnkeyml.verify import Outputs, Reference, agree

RUNS = 8
"""How often a file is run that does not repeat its results."""


class OnnxSubject(CapturedModel):
    """An ONNX file as the subject of a build; by default the build contains it unchanged."""

    framework = "onnx"
    default_sequence = "onnx-fp32"

    def __init__(
        self,
        record: InvocationRecord,
        path: Path,
        inputs: Outputs,
        *,
        chosen: dict[str, int] | None = None,
        file: str | None = None,
    ) -> None:
        super().__init__(record)
        self.path = path
        self.inputs = inputs
        self.chosen = chosen or {}
        """The sizes of open dimensions that turnkey chose."""
        self.file = file
        """The file that the inputs come from; None if they are made up."""
        self._was_loaded = False

    @property
    def cannot_run(self) -> str:  # type: ignore[override]
        if not self._was_loaded:
            return "ONNX Runtime cannot load the file"
        if self.file:
            return f"ONNX Runtime cannot run the file on the inputs in {self.file}"
        words = ", ".join(f"{name}={size}" for name, size in self.chosen.items())
        hint = f" ({words}; choose other sizes with --input-shape)" if words else ""
        return f"ONNX Runtime cannot run the file on made-up inputs{hint}"

    @functools.cached_property
    def precision(self) -> str:
        from turnkeyml.build import precision_of

        return precision_of(self.path)

    def key(self, opset: int) -> dict[str, str]:
        from turnkeyml.build import data_files

        return {
            "ONNX file": file_digest([self.path, *data_files(self.path)]),
            "input values": arrays_digest(self.inputs),
        }

    def compute_reference(self, threads: int) -> Reference:
        """Run the unchanged file with graph optimizations disabled."""
        from turnkeyml.runtimes import OrtSession, OrtSettings

        with _reason_in_full():
            settings = OrtSettings(threads, level="none", prepacking=False)
            session = OrtSession(str(self.path), settings)
            self._was_loaded = True
            session.feed(self.inputs)

        def outputs() -> Outputs:
            with _reason_in_full():
                session.run()
            return session.outputs()

        first, second = outputs(), outputs()
        operators = self._operators
        if agree(first, second):
            return Reference(self.inputs, first, precision=self.precision, operators=operators)
        repeats = (second, *(outputs() for _ in range(2, RUNS)))
        return Reference(
            self.inputs, first, precision=self.precision, deterministic=False, repeats=repeats
        )

    def compute_on(self, inputs: Outputs) -> Reference:
        from turnkeyml.runtimes import run_once

        outputs = run_once(str(self.path), inputs, usable_cores(), level="none", prepacking=False)
        return Reference(inputs, outputs, precision=self.precision, operators=self._operators)

    @functools.cached_property
    def _operators(self) -> tuple[OutputOperator, ...]:
        """The operator that each output is the result of."""
        from turnkeyml.build import output_operators

        return output_operators(self.path)

    def receiving_stage(self) -> Stage:

        return ReceiveOnnx()


@contextlib.contextmanager
def _reason_in_full() -> Iterator[None]:
    """Errors of the runtime as they are: the end says what it does not support."""
    try:
        yield
    except TurnkeyError:
        raise
    except Exception as error:
        raise TurnkeyError(" ".join(str(error).split())) from error


def arrays_digest(arrays: Outputs) -> str:
    """A digest of the names, the dtypes and the values of arrays."""
    words = []
    for name, array in arrays.items():
        strings = array.dtype.kind in "OUS"
        values = repr(array.tolist()).encode() if strings else np.ascontiguousarray(array).data
        words.append(f"{name}:{array.dtype}:{array.shape}:{hashlib.sha256(values).hexdigest()}")
    return digest(*words)


def with_inputs(subject: OnnxSubject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OnnxSubject:
    """The file on the given inputs, by position or by name; on its own ones without any."""
    if not args and not kwargs:
        return subject
    arrays = _by_name(subject, args, kwargs)
    record = subject.record
    shapes, dtypes = structure.shapes(arrays), structure.dtypes(arrays)
    digest = hash_invocation(record.model_hash, None, shapes, dtypes)
    described = replace(record, shapes=shapes, dtypes=dtypes, hash=digest)
    return OnnxSubject(described, subject.path, arrays)


def _by_name(subject: OnnxSubject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outputs:
    names = list(subject.inputs)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    extra = [name for name in given if name not in names] or ["one more"] * (len(args) > len(names))
    missing = [name for name in names if name not in given]
    if extra or missing:
        wrong = f"lack {', '.join(missing)}" if missing else f"have {', '.join(extra)} too many"
        raise UsageError(
            f"{subject.path.name} takes the inputs {', '.join(names)}; the given ones {wrong}."
        )
    return {name: _array(given[name]) for name in names}


def _array(value: Any) -> np.ndarray:
    """A numpy array, also from a tensor of a framework."""
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)


class ReceiveOnnx(Stage):
    """Copy an ONNX file into the build, including its external data."""

    name = "receive_onnx"
    message = "Receiving the ONNX file"
    yields = frozenset({ONNX})

    def fire(self, bench: BuildContext) -> None:
        assert isinstance(bench.subject, OnnxSubject)
        source = bench.subject.path
        target = bench.work / f"{source.stem}.onnx"
        copy_model(source, target)
        bench.opset = bench.facts["onnx_opset"] = opset_of(target)
        bench.facts["precision"] = bench.subject.precision
        bench.facts["dimensions"] = bench.subject.chosen
        if bench.subject.file:
            bench.facts["inputs"] = bench.subject.file
        bench.artifacts[ONNX] = target
