"""The subject of a build: an invocation together with its model, in any framework."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from turnkeyml.errors import describe
from turnkeyml.verify import FURTHER, VARIANTS, Outputs, Reference, draw, draw_further, draw_padded

if TYPE_CHECKING:
    from turnkeyml.build.stage import Stage
    from turnkeyml.nouns import InvocationRecord, OperationCount
    from turnkeyml.runtimes import LiveModel

FEW_SETS = 2
"""Held-out sets of a model with more weights than this. A smaller one is run on all of them."""
FEW_SETS_BYTES = 100_000_000
FURTHER_SETS = 2
"""Held-out sets of a model that returns nothing on ordinary inputs."""


class CapturedModel(ABC):
    """A model with the arguments of one call. Each framework has its own subclass."""

    framework: ClassVar[str]
    """The name of the framework."""
    default_sequence: ClassVar[str | None] = None
    """The named sequence to use unless the user chooses one; None for the runtime's default."""
    cannot_run: ClassVar[str] = "The model fails when it runs again on its recorded inputs"
    """The error message if the original cannot compute its reference outputs."""

    def __init__(self, record: InvocationRecord, script: str | None = None) -> None:
        self.record = record
        self.script = script
        """The script that called the model, if it can be run again."""
        self.siblings: tuple[CapturedModel, ...] = ()
        """The same model at other lengths of its cache, which one build may serve."""
        self.finished = False
        """Whether everything that was asked for it was done, or failed."""
        self._reference: Reference | None = None

    def reference(self, threads: int) -> Reference:
        """The outputs of the original on its recorded inputs; computed once."""
        if self._reference is None:
            self._reference = self.compute_reference(threads)
            self._reference.count = self.operation_count
            if self._reference.deterministic:
                self._reference.held_out = self._held_out(self._reference)
                self._reference.padded = self._padded(self._reference)
        return self._reference

    def _held_out(self, recorded: Reference) -> tuple[Reference, ...]:
        """The outputs of the original on inputs that no exporter has seen.

        More is tried if all of these outputs are empty, because any file would match them.
        """
        found = tuple(self._ordinary(recorded))
        if any(known.is_informative for known in (recorded, *found)):
            return found
        return (*found, *self._further(recorded))

    def _padded(self, recorded: Reference) -> Reference | None:
        """On masks that are padded on the left, if there are any."""
        inputs = draw_padded(recorded.inputs)
        return None if inputs is None else self._on(inputs, recorded, "padded")

    def _ordinary(self, recorded: Reference) -> Iterator[Reference]:
        """On inputs like the recorded ones.

        If the original rejects a variant of the inputs, the next variant is tried.
        """
        large = self.record.parameter_bytes > FEW_SETS_BYTES
        for variants in VARIANTS[:FEW_SETS] if large else VARIANTS:
            for variant in variants:
                reference = self._on(draw(recorded.inputs, variant), recorded, variant)
                if reference is not None:
                    yield reference
                    break

    def _further(self, recorded: Reference) -> Iterator[Reference]:
        """The first sets of further inputs on which the original returns something, if any.

        They stand in for the recorded set, so that they may cost as much.
        """
        found = 0
        for variant in FURTHER:
            for number in range(FURTHER_SETS):
                inputs = draw_further(recorded.inputs, variant, number)
                reference = self._on(inputs, recorded, variant)
                if reference is None or not reference.is_informative:
                    break
                print(f"The original returns something on inputs {variant}.", flush=True)
                reference.costly = recorded.costly
                yield reference
                found += 1
                if found == FURTHER_SETS:
                    return

    def _on(self, inputs: Outputs, recorded: Reference, variant: str) -> Reference | None:
        """The outputs on other inputs; None if these are the same, or give nothing to compare."""
        if not differ(inputs, recorded.inputs):
            return None
        return comparable_on(self.compute_on, inputs, variant)

    @property
    def operation_count(self) -> OperationCount | None:
        """What one run does, if that can be counted."""
        return None

    @property
    def live_kind(self) -> str:
        """The kind of live model that runtimes ask for: by default the framework."""
        return self.framework

    @property
    @abstractmethod
    def precision(self) -> str:
        """The precision of the original: ``fp32``, ``fp16`` or ``bf16``."""

    @abstractmethod
    def key(self, opset: int) -> dict[str, str]:
        """Everything about the model that its build depends on, by names that messages show."""

    @abstractmethod
    def compute_reference(self, threads: int) -> Reference:
        """The outputs of the original on its recorded inputs."""

    @abstractmethod
    def compute_on(self, inputs: Outputs) -> Reference:
        """The outputs of the original on other inputs of the same names, shapes and dtypes."""

    @abstractmethod
    def receiving_stage(self) -> Stage:
        """The first stage of a build, which turns the model into an ONNX file."""

    @property
    def unbuildable(self) -> str | None:
        """Why the model cannot become an ONNX file though it can be measured live; else None."""
        return None

    def live(self) -> AbstractContextManager[LiveModel] | None:
        """The live model, ready to be measured in this process; None if the model is a file."""
        return None


def differ(inputs: Outputs, recorded: Outputs) -> bool:
    """Whether any input has other values than the recorded one."""
    return any(not np.array_equal(inputs[name], recorded[name]) for name in inputs)


def comparable_on(
    compute: Callable[[Outputs], Reference], inputs: Outputs, what: str
) -> Reference | None:
    """What the original computes on some inputs; None if it fails, or returns nothing to compare.

    ``what`` says in the log which inputs these are.
    """
    try:
        found = compute(inputs)
    except Exception as error:  # noqa: BLE001 - an invalid input; the log says why
        print(f"The original fails on {what} inputs: {describe(error)}", flush=True)
        return None
    return found if is_comparable(found.outputs) else None


def is_comparable(outputs: Outputs) -> bool:
    """Whether there is a finite number to compare: unusual inputs may give only NaN."""
    floats = [array for array in outputs.values() if array.dtype.kind in "fc"]
    return not floats or any(np.isfinite(array).any() for array in floats)
