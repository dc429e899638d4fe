"""Live models passed to the API, described as if a script had called them."""

from __future__ import annotations

import sys
from typing import Any

from turnkeyml import structure
from turnkeyml.errors import UsageError
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.keras import models
from turnkeyml.frameworks.keras.backends import register_tensors
from turnkeyml.frameworks.keras.identity import model_text
from turnkeyml.frameworks.keras.subject import KerasSubject
from turnkeyml.nouns import InvocationRecord


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
