"""Live models passed to the API, described as if a script had called them."""

from __future__ import annotations

from typing import Any

from turnkeyml import structure
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.torch import modules
from turnkeyml.frameworks.torch.identity import safe_repr
from turnkeyml.frameworks.torch.subject import TorchSubject
from turnkeyml.nouns import InvocationRecord


def subject_of(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TorchSubject:
    """A live model with the arguments of one call; the caller names its build."""
    model = modules.original_of(model)
    named = structure.name_arguments(args, kwargs)
    tensors = {n: t for name, v in named.items() for n, t in structure.leaves(v, name).items()}
    shapes, dtypes = structure.shapes(tensors), structure.dtypes(tensors)
    model_hash = hash_model(safe_repr(model))
    parameters, parameter_bytes = modules.count_parameters(model)
    record = InvocationRecord(
        name=type(model).__name__,
        model_type=modules.MODEL_TYPE,
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
    return TorchSubject(record, model, args, kwargs)
