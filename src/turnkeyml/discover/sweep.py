"""Sweeps: every combination of several values per script argument is a point."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator

from turnkeyml.errors import UsageError

RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:([+*])(\d+))?")
MAX_POINTS = 10_000
ARRAYS = ".npz"
"""The suffix of files of inputs."""


def parse_sweep(words: Iterable[str]) -> list[dict[str, str]]:
    """The points of a sweep, the last parameter changing fastest; one empty point without words.

    Each word is NAME=VALUES: values separated by commas, or ranges such as 1..4, 0..100+20 (steps
    of 20) and 1..64*2 (doubling).
    """
    values: dict[str, list[str]] = {}
    for word in words:
        name, separator, text = word.partition("=")
        name = name.lstrip("-")
        if not separator or not name or not text:
            raise UsageError(
                f"A sweep must be NAME=VALUE,VALUE,… or NAME=FIRST..LAST, not {word!r}."
            )
        if name in values:
            raise UsageError(f"The sweep of {name!r} is given twice.")
        values[name] = list(dict.fromkeys(v for part in text.split(",") for v in _expand(part)))
    points = 1
    for choices in values.values():
        points *= len(choices)
    if points > MAX_POINTS:
        raise UsageError(f"The sweep has {points:,} points; the maximum is {MAX_POINTS:,}.")
    return [dict(zip(values, point, strict=True)) for point in itertools.product(*values.values())]


def script_words(point: dict[str, str]) -> tuple[str, ...]:
    """A point of a sweep as arguments for a script."""
    return tuple(f"--{name}={value}" for name, value in point.items())


def file_inputs(point: dict[str, str]) -> tuple[dict[str, tuple[int, ...]], str | None]:
    """A point of a sweep as input shapes of a model file, and the file of its inputs if any."""
    file = point.get("inputs", "")
    if not file.lower().endswith(ARRAYS):
        return parse_shapes([f"{name}={value}" for name, value in point.items()]), None
    shapes = {name: value for name, value in point.items() if name != "inputs"}
    if shapes:
        raise UsageError("A sweep of inputs=FILE.npz gives the shapes; sweep nothing else.")
    return {}, os.path.abspath(os.path.expanduser(file))


def parse_shapes(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Shapes by input and sizes by dimension, from words like ``ids=1x128,batch=8``."""
    found: dict[str, tuple[int, ...]] = {}
    for part in (part.strip() for word in words for part in word.split(",")):
        name, separator, text = part.rpartition("=")
        sizes = re.fullmatch(r"\d+(x\d+)*", text.strip().lower())
        if not separator or not name or sizes is None:
            found_text = part or " ".join(words)
            raise UsageError(
                f"An input shape must be INPUT=1x128 or DIMENSION=128, not {found_text!r}."
            )
        if found.setdefault(name.strip(), shape := _shape(text)) != shape:
            raise UsageError(f"The input shape of {name.strip()!r} is given twice.")
    return found


def _shape(text: str) -> tuple[int, ...]:
    return tuple(int(size) for size in text.strip().lower().split("x"))


def _expand(part: str) -> Iterator[str]:
    part = part.strip()
    if not part:
        raise UsageError("A sweep has an empty value; remove the extra comma.")
    found = RANGE.fullmatch(part)
    if found is None:
        yield part
        return
    first, last = int(found[1]), int(found[2])
    operator, step = found[3] or "+", int(found[4] or 1)
    endless = (operator == "+" and step < 1) or (operator == "*" and (step < 2 or first < 1))
    if endless or last < first:
        raise UsageError(f"The range {part!r} never reaches its last number.")
    value, count = first, 0
    while value <= last:
        if count == MAX_POINTS:
            raise UsageError(f"The range {part!r} has more than {MAX_POINTS:,} values.")
        yield str(value)
        value, count = (value * step if operator == "*" else value + step), count + 1
