"""Checks of single options: each returns the value as it is used, or raises a UsageError."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Mapping
from typing import Any

from turnkeyml import environment
from turnkeyml.errors import UsageError

__all__ = [
    "cache_folder",
    "cache_folders",
    "conditions",
    "memory_size",
    "path",
    "runtime_arguments",
    "script_words",
    "seconds",
    "whole",
    "words",
]


def whole(what: str, least: int) -> Callable[[Any], int | None]:
    """Takes whole numbers that are large enough; None stays."""

    def check(value: Any) -> int | None:
        if value is None:
            return None
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or number < least:
            bound = "must be above zero" if least == 1 else "must not be below zero"
            raise UsageError(f"The {what} {bound} and a whole number, not {value!r}.")
        return number

    return check


def words(value: Any) -> tuple[str, ...]:
    """One word, several, or none; each of them once."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


def path(value: Any) -> str | None:
    """A path as text, the home directory written out; None stays."""
    return None if value is None else os.path.expanduser(os.fspath(value))


def cache_folder(value: Any) -> str:
    """The cache that was named, or the one that is used otherwise."""
    return path(value) or environment.cache_dir()


def cache_folders(value: Any) -> tuple[str, ...]:
    """The caches that were named, or the one that is used otherwise."""
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    return tuple(cache_folder(one) for one in value or (None,))


def conditions(value: Any) -> tuple[str, ...]:
    """Conditions that a comparison may meet, separated by spaces or commas."""
    import re

    found = tuple(word for several in words(value) for word in several.split(","))
    for word in found:
        if not re.fullmatch(r"failed|vanished|slower:\d+(\.\d+)?%", word):
            there = "slower:P% (such as slower:5%), failed and vanished"
            raise UsageError(f"{word!r} is nothing that --fail-on knows; there are: {there}.")
    return found


def seconds(value: Any) -> float | None:
    """A time that an input may take; None stays."""
    if value is not None and not (value > 0 and math.isfinite(value)):
        raise UsageError(f"The timeout must be above zero, not {value:g}.")
    return None if value is None else float(value)


def memory_size(value: Any) -> int | None:
    """A size such as 8G or 512M as a number of bytes; None stays."""
    if value is None:
        return None
    import re

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip(), re.IGNORECASE)
    number = float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " ") if found else 0
    if number < 1:
        raise UsageError(f"A memory limit is a size such as 8G or 512M, not {value!r}.")
    return int(number)


def script_words(value: Any) -> tuple[str, ...]:
    """Script arguments as a shell would split them; a comma before an option splits too."""
    if value is None:
        return ()
    if not isinstance(value, str):
        return tuple(value)
    import re
    import shlex

    try:
        parts = shlex.split(value)
    except ValueError as error:
        raise UsageError(f"The script arguments {value!r} cannot be split: {error}.") from None
    return tuple(part for word in parts for part in re.split(r",(?=-)", word) if part)


def runtime_arguments(value: Any) -> dict[str, Any]:
    """A dict, or the words ``key::value``, ``key::[a,b]`` and ``flag`` as one."""
    if isinstance(value, Mapping):
        return dict(value)
    return dict(_runtime_argument(word) for word in words(value))


def _runtime_argument(word: str) -> tuple[str, Any]:
    key, separator, value = word.partition("::")
    if not key or (separator and not value):
        raise UsageError(f"A runtime argument is key::value, key::[a,b] or flag, not {word!r}.")
    if value.startswith("[") and value.endswith("]"):
        return key, [part.strip() for part in value[1:-1].split(",") if part.strip()]
    return key, value if separator else True
