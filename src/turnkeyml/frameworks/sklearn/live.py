"""Estimators passed to the API, described as if a script had called them."""

from __future__ import annotations

from typing import Any

from turnkeyml import structure
from turnkeyml.errors import UsageError
from turnkeyml.frameworks.hashes import hash_invocation, hash_model
from turnkeyml.frameworks.sklearn import estimators
from turnkeyml.frameworks.sklearn.subject import SklearnSubject
from turnkeyml.frameworks.sklearn.tables import arrays_of
from turnkeyml.nouns import InvocationRecord


def subject_of(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> SklearnSubject:
    """An estimator with the table of one call; the caller names its build."""
    tables = [*args, *kwargs.values()]
    if len(tables) != 1:
        raise UsageError(
            f"A {type(model).__name__} predicts from one table; pass inputs=(X,), "
            f"not {len(tables)} inputs."
        )
    layout, arrays = arrays_of(tables[0])
    shapes, dtypes = structure.shapes(arrays), structure.dtypes(arrays)
    model_hash = hash_model(estimators.text_of(model))
    parameters, parameter_bytes = estimators.count_parameters(model)
    record = InvocationRecord(
        name=type(model).__name__,
        model_type=estimators.model_type(model),
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
    return SklearnSubject(record, model, layout, arrays)
