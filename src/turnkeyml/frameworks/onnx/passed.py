"""An ONNX file that a program passes to the API, with its own inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from turnkeyml import structure
from turnkeyml.errors import UsageError
from turnkeyml.frameworks.hashes import hash_invocation
from turnkeyml.frameworks.onnx.subject import OnnxSubject
from turnkeyml.verify import Outputs


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
