"""A model that a program hands to us, described as if a script had called it."""

from __future__ import annotations

from typing import Any

import torch

from turnkeyml import structure
from turnkeyml.build.identity import safe_repr
from turnkeyml.errors import UsageError
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.torch import modules
from turnkeyml.nouns import InvocationRecord

__all__ = ["describe_live"]


def describe_live(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> InvocationRecord:
    """The record of a live model with the arguments of one call."""
    if not isinstance(model, torch.nn.Module):
        raise UsageError(f"The model must be a torch.nn.Module, not a {type(model).__name__}.")
    named = structure.name_arguments(args, kwargs)
    tensors = {n: t for name, v in named.items() for n, t in structure.leaves(v, name).items()}
    shapes, dtypes = structure.shapes(tensors), structure.dtypes(tensors)
    model_hash = hash_model(safe_repr(model))
    parameters, size = modules.sizes(model)
    return InvocationRecord(
        name=type(model).__name__,
        model_type=modules.MODEL_TYPE,
        class_name=type(model).__name__,
        class_repr=str(type(model)),
        file="",
        line=0,
        parameters=parameters,
        parameter_bytes=size,
        model_hash=model_hash,
        hash=hash_invocation(model_hash, None, shapes, dtypes),
        parent_hash=None,
        depth=0,
        shapes=shapes,
        dtypes=dtypes,
        build_name="",
    )
