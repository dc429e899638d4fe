"""Sweeps: every combination of several values per script argument is a point."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from turnkeyml.errors import UsageError

__all__ = ["parse_sweep", "script_words"]

RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:([+*])(\d+))?")
MAX_POINTS = 10_000


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
