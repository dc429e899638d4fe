"""Sequences, maps and optional values as named arrays, which is how files keep them.

``name[0]``, ``name[1]`` … are the elements of a sequence. ``name::keys`` and ``name::values`` are a
map, or a list of maps with the same keys (one row of values each). ``name::none`` is an optional
value that is absent, and ``name::empty`` a sequence without elements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from turnkeyml.cache.arrays import fed
from turnkeyml.errors import MeasureError

KEYS, VALUES, NONE, EMPTY = "::keys", "::values", "::none", "::empty"

_DTYPES = {"float": "float32", "double": "float64"}
"""The numpy names of the dtypes that ONNX Runtime calls differently."""
_KIND = re.compile(r"(tensor|seq|optional|map)\((.*)\)")


def flattened(name: str, value: Any) -> dict[str, np.ndarray]:
    """A value of any type as arrays by name; a tensor keeps its name."""
    if value is None:
        return {name + NONE: np.zeros(0, bool)}
    if isinstance(value, Mapping):
        return _flattened_maps(name, [value], (0,))
    if not isinstance(value, (list, tuple)):
        return {name: np.asarray(value)}
    if not value:
        return {name + EMPTY: np.zeros(0, bool)}
    if all(isinstance(v, Mapping) and [*v] == [*value[0]] and _are_scalars(v) for v in value):
        return _flattened_maps(name, value, ())
    return {
        n: a for i, item in enumerate(value) for n, a in flattened(f"{name}[{i}]", item).items()
    }


def _are_scalars(values: Mapping[Any, Any]) -> bool:
    return all(np.ndim(v) == 0 for v in values.values())


def _flattened_maps(
    name: str, maps: Sequence[Mapping[Any, Any]], row: tuple[int, ...]
) -> dict[str, np.ndarray]:
    keys = np.asarray([*maps[0]])
    if not _are_scalars(maps[0]):
        items = enumerate(maps[0].values())
        return {name + KEYS: keys} | {
            n: a for i, item in items for n, a in flattened(f"{name}[{i}]", item).items()
        }
    values = np.asarray([[*one.values()] for one in maps])
    return {name + KEYS: keys, name + VALUES: values[row] if row else values}


def is_plain(kind: str) -> bool:
    """Whether ONNX Runtime's type of a value is a tensor, possibly an optional one."""
    return bool(re.fullmatch(r"(optional\()?tensor\(\w+\)\)?", kind))


def top_name(name: str) -> str:
    """The name of the value that a recorded array belongs to."""
    return re.sub(r"(\[\d+\])*(::\w+)?$", "", name)


def fed_value(arrays: Mapping[str, np.ndarray], name: str, kind: str) -> Any:
    """The value of an input, as ``session.run`` takes it, from the recorded arrays.

    ``kind`` is its type as ONNX Runtime calls it: ``tensor(float)``, ``seq(tensor(int64))``.
    """
    found = _KIND.fullmatch(kind)
    if found is None:
        raise MeasureError(f"The input {name!r} is of type {kind}, which cannot be fed.")
    outer, inner = found.groups()
    if outer == "tensor":
        return fed(arrays, {name: _DTYPES.get(inner, inner)})[name]
    if outer == "optional":
        return None if name + NONE in arrays else fed_value(arrays, name, inner)
    if outer == "map":
        keys, values = arrays[name + KEYS], arrays[name + VALUES]
        return dict(zip(keys.tolist(), values.tolist(), strict=True))
    if inner.startswith("map") and name + KEYS in arrays:
        keys = arrays[name + KEYS].tolist()
        rows = arrays[name + VALUES].tolist()
        return [dict(zip(keys, row, strict=True)) for row in rows]
    return [fed_value(arrays, f"{name}[{i}]", inner) for i in range(_length(arrays, name))]


def _length(arrays: Mapping[str, np.ndarray], name: str) -> int:
    """The number of recorded elements of a sequence."""
    element = re.compile(re.escape(name) + r"\[(\d+)\]")
    numbers = [int(m[1]) for m in map(element.match, arrays) if m]
    if not numbers and name + EMPTY not in arrays:
        raise MeasureError(f"The model wants an input {name!r} that was not recorded.")
    return max(numbers, default=-1) + 1
