"""The documented hashes of models and invocations, and what tells invocations apart besides.

Two calls with the same shapes may differ in arguments that are no tensors.
"""

from __future__ import annotations

import hashlib
import inspect
import weakref
from collections.abc import Callable
from typing import Any

from turnkeyml import structure

_PLAIN = (bool, int, float, complex, str, bytes, type(None))

_SHOWN = 40
"""The most characters that are shown of a value."""


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


def short(text: str) -> str:
    """The first eight hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def chosen_arguments(
    entry: Callable[..., Any] | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by parameter, without tensors and without those that equal their defaults.

    ``entry`` is the function that gets them; None if it is not known.
    """
    signature = _signature(entry)
    fitting = _named(signature, args, kwargs) if signature else None
    named = structure.name_arguments(args, kwargs) if fitting is None else fitting
    defaults = {p.name: p.default for p in signature.parameters.values()} if signature else {}
    return {
        name: value
        for name, value in sorted(named.items())
        if not structure.is_tensor(value) and not _is_default(value, defaults.get(name, ...))
    }


def flags_of(chosen: dict[str, Any]) -> str:
    """A text that differs for calls that count as different; Python numbers may vary."""
    return structure.constants(chosen, numbers=False)


def in_words(chosen: dict[str, Any]) -> dict[str, str]:
    """Each plain argument as text, for people; tensors inside containers are not shown."""
    texts = {n: repr(v) for n, v in chosen.items() if isinstance(v, _PLAIN)}
    return {n: t if len(t) <= _SHOWN else f"{t[: _SHOWN - 1]}…" for n, t in texts.items()}


def _named(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """The arguments by parameter; None if they do not fit, which the call itself will show."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            named.update({f"{name}[{i}]": item for i, item in enumerate(value)})
        else:
            named[name] = value
    return named


def _is_default(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return type(value) is type(default) and isinstance(value, _PLAIN) and value == default


_signatures: weakref.WeakKeyDictionary[Any, inspect.Signature] = weakref.WeakKeyDictionary()


def _signature(entry: Callable[..., Any] | None) -> inspect.Signature | None:
    """The signature without ``self``; None if the function or its signature is not known.

    Signatures are kept by function, as bound methods would keep their models alive.
    """
    function = getattr(entry, "__func__", entry)
    try:
        if function in _signatures:
            return _signatures[function]
        found = inspect.signature(function)  # type: ignore[arg-type]
        if function is not entry:
            found = found.replace(parameters=list(found.parameters.values())[1:])
        _signatures[function] = found
    except (TypeError, ValueError):
        return None
    return found
