"""Typed records to plain data and back.

``to_dict`` gives dicts, lists, numbers and strings that JSON and YAML can hold. ``from_dict``
ignores fields that a newer version may have added and refuses everything else that does not fit.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")

DEEPEST = 60
"""Levels of nesting. Our own records have fewer than ten."""
LARGEST = 2**64
"""No whole number of ours is larger, and a much larger one is no float."""


class Word(str, Enum):
    """An enum whose members are written, stored and compared as their words."""

    def __str__(self) -> str:
        return str(self.value)


class DamagedRecord(ValueError):
    """Data that does not have the shape of the record that it should be."""


def to_dict(record: Any) -> Any:
    """Plain data that JSON and YAML can hold."""
    if isinstance(record, Enum):
        return record.value
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        return {f.name: to_dict(getattr(record, f.name)) for f in dataclasses.fields(record)}
    if isinstance(record, dict):
        return {str(k): to_dict(v) for k, v in record.items()}
    if isinstance(record, (list, tuple)):
        return [to_dict(v) for v in record]
    return record


def check_plain(data: Any, levels: int = DEEPEST) -> None:
    """Raise a ``DamagedRecord`` for anything that ``to_dict`` cannot have given.

    What passes can be walked through, printed and computed with.
    """
    if levels == 0:
        raise DamagedRecord("it is nested too deeply")
    if isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, str):
                raise DamagedRecord(f"the key {_short(key)} is not a string")
            check_plain(value, levels - 1)
    elif isinstance(data, list):
        for value in data:
            check_plain(value, levels - 1)
    elif isinstance(data, int) and abs(data) > LARGEST:
        raise DamagedRecord("a number is too large")
    elif data is not None and not isinstance(data, (str, int, float)):
        raise DamagedRecord(f"{_short(data)} is a {type(data).__name__}")


def from_dict(kind: type[T], data: Any) -> T:
    """The record that ``to_dict`` wrote; a ``DamagedRecord`` where the data cannot be one."""
    if not isinstance(data, dict):
        raise DamagedRecord(f"{kind.__name__}: {_short(data)} is not a record")
    known = {}
    for name, hint in _fields(kind).items():  # type: ignore[arg-type]
        if name in data:
            try:
                known[name] = _decode(hint, data[name])
            except DamagedRecord as error:
                raise DamagedRecord(f"{kind.__name__}.{name}: {error}") from None
    try:
        return kind(**known)
    except (TypeError, ValueError) as error:
        raise DamagedRecord(f"{kind.__name__}: {error}") from None


@functools.cache
def _fields(kind: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {f.name: hints[f.name] for f in dataclasses.fields(kind)}


def _decode(hint: Any, value: Any) -> Any:
    if hint is Any or (type(value) is hint and hint in (str, float)):
        return value
    origin, arguments, is_record = _parts(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        return _decode(next(a for a in arguments if a is not type(None)), value)
    if is_record:
        return from_dict(typing.cast("type", hint), value)
    if origin in (tuple, list) and isinstance(value, (list, tuple)):
        return origin(_decode(arguments[0], v) for v in value)
    if origin is dict and isinstance(value, dict):
        return {k: _decode(arguments[1], v) for k, v in value.items() if isinstance(k, str)}
    if origin is None and isinstance(hint, type):
        return _decode_plain(hint, value)
    raise DamagedRecord(f"{_short(value)} where there should be {hint}")


@functools.cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """What a hint consists of; found out once, because a report decodes thousands of records."""
    return typing.get_origin(hint), typing.get_args(hint), dataclasses.is_dataclass(hint)


def _decode_plain(kind: type, value: Any) -> Any:
    if issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            raise DamagedRecord(f"{_short(value)} is no {kind.__name__}") from None
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and _fits(value)
    if kind is float and number:
        return value
    if kind is int and number and float(value).is_integer():
        return value
    if kind in (str, bool) and isinstance(value, kind):
        return value
    if kind.__module__ == "numpy" and isinstance(value, list):
        return value
    raise DamagedRecord(f"{_short(value)} where there should be {kind.__name__}")


def _fits(number: float) -> bool:
    """Whether a number can be computed with: a whole one of a thousand digits cannot."""
    return isinstance(number, float) or abs(number) <= LARGEST


def _short(value: Any) -> str:
    """A value in few characters, however large it is."""
    if isinstance(value, int) and not _fits(value):
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, (dict, list)):
        return f"a {type(value).__name__} of {len(value)}"
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
