"""A live Keras model with the arguments of one call, as a script or a user of the API gave it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from turnkeyml import structure
from turnkeyml.build import CapturedModel, Stage, digest
from turnkeyml.errors import UsageError
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.keras import models
from turnkeyml.frameworks.keras.models import (
    backend_name,
    from_numpy,
    input_names,
    model_text,
    no_gradients,
    precision_name,
    preserved,
    register_tensors,
    to_numpy,
)
from turnkeyml.nouns import InvocationRecord
from turnkeyml.runtimes import LiveModel
from turnkeyml.verify import Outputs, Reference, agree

RUNS = 8
"""How often a model is run that does not repeat its results."""


class KerasSubject(CapturedModel):
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
            "model": models.model_fingerprint(self.model),
            "weights": models.weights_digest(self.model),
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


def subject_of(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> KerasSubject:
    """A live model with the arguments of one call; the caller names its build."""
    if not isinstance(model, sys.modules["keras"].Model):
        kind = type(model).__name__
        raise UsageError(
            f"{kind} is a layer of Keras, not a model; pass keras.Sequential([layer])."
        )
    register_tensors()
    args, kwargs = structure.clone(models.seen(_as_called(model, args, kwargs)))
    if why := models.obstacle(args, kwargs):
        raise UsageError(f"The model cannot be built: {why}.")
    if not model.built:
        model(*args, **kwargs)
    named = structure.name_arguments(args, kwargs)
    arrays = {n: t for name, v in named.items() for n, t in structure.leaves(v, name).items()}
    shapes, dtypes = structure.shapes(arrays), structure.dtypes(arrays)
    model_hash = hash_model(model_text(model))
    parameters, parameter_bytes = models.count_weights(model)
    record = InvocationRecord(
        name=type(model).__name__,
        model_type=models.MODEL_TYPE,
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
    return KerasSubject(record, model, args, kwargs)


def _as_called(
    model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as the model takes them.

    Sequential and functional models take one argument, ``inputs``: a tensor, a list or a dict. The
    API has passed a list as several arguments, and a dict as keywords.
    """
    kwargs = {name: value for name, value in kwargs.items() if name != "training"}
    if not {kind.__name__ for kind in type(model).__mro__} & {"Sequential", "Functional"}:
        return args, kwargs
    if len(args) > 1 and not kwargs:
        return ([*args],), {}
    if kwargs and not args and "inputs" not in kwargs:
        return (next(iter(kwargs.values())) if len(kwargs) == 1 else kwargs,), {}
    return args, kwargs
