"""A live Keras model with the arguments of one call."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from turnkeyml import structure
from turnkeyml.build import Stage, Subject, digest
from turnkeyml.frameworks.keras import identity
from turnkeyml.frameworks.keras.backends import backend_name, no_gradients
from turnkeyml.frameworks.keras.models import (
    from_numpy,
    input_names,
    precision_name,
    preserved,
    to_numpy,
)
from turnkeyml.nouns import InvocationRecord
from turnkeyml.runtimes import LiveModel
from turnkeyml.verify import Outputs, Reference, agree

RUNS = 8
"""How often a model is run that does not repeat its results."""


class KerasSubject(Subject):
    """A ``keras.Model`` with recorded arguments, which are numpy arrays, as subject of a build.

    It runs in inference mode, whatever the script passed as ``training``.
    """

    framework = "keras"

    def __init__(
        self, record: InvocationRecord, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        super().__init__(record)
        self.model = model
        self.args = args
        self.kwargs = kwargs

    @property
    def live_kind(self) -> str:
        """On the torch backend the model is a module of PyTorch, and can be measured as such."""
        return "torch" if backend_name() == "torch" else self.framework

    @property
    def precision(self) -> str:
        return precision_name(self.model)

    def key(self, opset: int) -> dict[str, str]:
        return {
            "opset": str(opset),
            "Keras backend": backend_name(),
            "other inputs": digest(structure.constants((self.args, self.kwargs))),
            "model": identity.model_fingerprint(self.model),
            "weights": identity.weights_digest(self.model),
        }

    def compute_reference(self, threads: int) -> Reference:
        """The model runs twice to see whether it is deterministic, and more often if it is not."""
        arrays = structure.leaves((self.args, self.kwargs)).values()
        inputs = dict(zip(self.input_names(), arrays, strict=True))
        with preserved(self.model):
            first, second = self._run(inputs), self._run(inputs)
            deterministic = agree(first, second)
            more = () if deterministic else tuple(self._run(inputs) for _ in range(2, RUNS))
        return Reference(
            inputs,
            first,
            precision=self.precision,
            deterministic=deterministic,
            repeats=() if deterministic else (second, *more),
        )

    def compute_on(self, inputs: Outputs) -> Reference:
        with preserved(self.model):
            return Reference(inputs, self._run(inputs), precision=self.precision)

    def input_names(self) -> list[str]:
        """The names of the tensor arguments, in their order."""
        return input_names(self.model, self.args, self.kwargs)

    def arguments(self, tensors: Iterator[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The recorded arguments with other tensors, for a call in inference mode."""
        args, kwargs = structure.replace((self.args, self.kwargs), lambda _, __: next(tensors))
        return args, {**kwargs, "training": False}

    def _run(self, inputs: Outputs) -> Outputs:
        args, kwargs = self.arguments(map(from_numpy, inputs.values()))
        with no_gradients():
            result = self.model(*args, **kwargs)
        return dict(to_numpy(n, t) for n, t in structure.leaves(result, "output").items())

    def receiving_stage(self) -> Stage:
        from turnkeyml.frameworks.keras.export import ExportKeras

        return ExportKeras()

    def live(self) -> AbstractContextManager[LiveModel] | None:
        return self._as_module() if self.live_kind == "torch" else None

    @contextlib.contextmanager
    def _as_module(self) -> Iterator[LiveModel]:
        """The model as a module of PyTorch; afterwards the process has its number of threads."""
        torch = sys.modules["torch"]
        threads = torch.get_num_threads()
        arrays = structure.leaves((self.args, self.kwargs)).values()
        args, kwargs = self.arguments(map(from_numpy, arrays))
        try:
            with preserved(self.model):
                yield LiveModel(self.model, args, kwargs)
        finally:
            torch.set_num_threads(threads)
