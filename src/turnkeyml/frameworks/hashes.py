"""The documented hashes of models and invocations."""

from __future__ import annotations

import hashlib


def short(text: str) -> str:
    """The first eight hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def hash_model(text: str) -> str:
    """The hash of a model, from its ``repr``."""
    return short(text)


def hash_invocation(
    model_hash: str,
    parent_hash: str | None,
    shapes: dict[str, tuple[int, ...]],
    dtypes: dict[str, str],
    more: str = "",
) -> str:
    """The hash of an invocation; ``more`` separates calls that share the documented hash."""
    return short(f"{model_hash}{parent_hash}{shapes}{dtypes}{more}")
