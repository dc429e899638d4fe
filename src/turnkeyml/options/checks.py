"""Checks of single options: each returns the converted value or raises a UsageError."""

from __future__ import annotations

import glob
import math
import operator
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from turnkeyml import environment
from turnkeyml.errors import UsageError
from turnkeyml.nouns import split_hashes, split_pair


def whole(what: str, least: int) -> Callable[[Any], int | None]:
    """A check for integers of at least ``least``; None passes."""

    def check(value: Any) -> int | None:
        if value is None:
            return None
        try:
            number = operator.index(value)
        except TypeError:
            number = None
        if number is None or number < least:
            raise UsageError(f"The {what} must be an integer of at least {least}, not {value!r}.")
        return number

    return check


def words(value: Any) -> tuple[str, ...]:
    """A tuple of strings without duplicates, from one string, several, or None."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


def path(value: Any) -> str | None:
    """A path as a string, with ``~`` expanded; None passes."""
    return None if value is None else os.path.expanduser(os.fspath(value))


def paths(value: Any) -> tuple[str, ...]:
    """Several paths as strings, from one or several."""
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    return tuple(os.path.expanduser(os.fspath(one)) for one in value or ())


def port(value: Any) -> int:
    """The number of a port; 0 stands for any free one."""
    number = whole("port", 0)(value)
    if number is None or number > 65535:
        raise UsageError(f"The port must be at most 65535, not {value!r}.")
    return number


def sequence(value: Any) -> Any:
    """A named sequence, a list of stages with commas, or an instance of ``Sequence``."""
    from turnkeyml.build import check_name

    if isinstance(value, str):
        check_name(value)
    return value


def cache_folder(value: Any) -> str:
    """The given cache directory, or the default one."""
    return path(value) or environment.cache_dir()


def cache_folders(value: Any) -> tuple[str, ...]:
    """The given cache directories, or the default one."""
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    return tuple(cache_folder(one) for one in value or (None,))


def conditions(value: Any) -> tuple[str, ...]:
    """The conditions of ``--fail-on``, split at commas."""
    import re

    found = tuple(word for several in words(value) for word in several.split(","))
    for word in found:
        if not re.fullmatch(r"failed|vanished|mismatch|unclear|slower:\d+(\.\d+)?%", word):
            known = "slower:P% (such as slower:5%), failed, vanished, mismatch, unclear"
            raise UsageError(f"Unknown --fail-on condition {word!r}; choose from: {known}.")
    return found


def seconds(what: str) -> Callable[[Any], float | None]:
    """A check of a number of seconds; None passes."""

    def check(value: Any) -> float | None:
        if value is not None and not (value > 0 and math.isfinite(value)):
            raise UsageError(f"The {what} must be a number of seconds above 0, not {value:g}.")
        return None if value is None else float(value)

    return check


def memory_size(value: Any) -> int | None:
    """A size such as 8G or 512M in bytes; None passes."""
    if value is None:
        return None
    import re

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip(), re.IGNORECASE)
    number = float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " ") if found else 0
    if number < 1:
        raise UsageError(f"The memory limit must be a size such as 8G or 512M, not {value!r}.")
    return int(number)


def size(value: Any) -> int | None:
    """A size on disk such as 1GB or 512MiB in bytes, with decimal units as lists show them."""
    if value is None or isinstance(value, int):
        return value
    import re

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", str(value).strip().lower())
    if found is None:
        raise UsageError(f"The size must be one such as 1GB or 500MB, not {value!r}.")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** " kmgt".index(found[2] or " "))


def age(value: Any) -> float | None:
    """An age such as 30d, 12h or 90m in seconds; None passes."""
    if value is None or isinstance(value, (int, float)):
        return value
    import re

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", str(value).strip().lower())
    if found is None:
        raise UsageError(f"The age must be one such as 30d, 12h or 90m, not {value!r}.")
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
    return float(found[1]) * units[found[2]]


def input_shapes(value: Any) -> dict[str, tuple[int, ...]]:
    """Shapes and sizes by name, also from words like ``ids=1x128,batch=8``."""
    from turnkeyml.discover import parse_shapes

    if value is None:
        return {}
    if not isinstance(value, Mapping):
        return parse_shapes((value,) if isinstance(value, str) else value)
    try:
        return {
            str(name): (operator.index(shape),)
            if hasattr(shape, "__index__")
            else tuple(map(operator.index, shape))
            for name, shape in value.items()
        }
    except TypeError:
        raise UsageError(f"An input shape must be integers, not {dict(value)!r}.") from None


def input_file(value: Any) -> str | None:
    """The absolute path of an existing file of arrays; None passes."""
    if value is None:
        return None
    found = os.path.abspath(os.path.expanduser(os.fspath(value)))
    if not os.path.isfile(found):
        raise UsageError(f"File of inputs not found: {os.fspath(value)!r}.")
    return found


def script_words(value: Any) -> tuple[str, ...]:
    """Script arguments, split as in a shell and at commas before an option."""
    if value is None:
        return ()
    if not isinstance(value, str):
        return tuple(value)
    import re
    import shlex

    try:
        parts = shlex.split(value)
    except ValueError as error:
        raise UsageError(f"Cannot split the script arguments {value!r}: {error}.") from None
    return tuple(part for word in parts for part in re.split(r",(?=-)", word) if part)


def runtime_arguments(value: Any) -> dict[str, Any]:
    """A dict of runtime arguments, also from ``key=value``, ``key=[a,b]`` and ``flag``.

    The older ``key::value`` means the same.
    """
    if isinstance(value, Mapping):
        return dict(value)
    return dict(_runtime_argument(word) for word in words(value))


def _runtime_argument(word: str) -> tuple[str, Any]:
    key, separator, value = split_pair(word)
    if not key or (separator and not value):
        raise UsageError(f"A runtime argument must be key=value, key=[a,b] or flag, not {word!r}.")
    if value.startswith("[") and value.endswith("]"):
        return key, [part.strip() for part in value[1:-1].split(",") if part.strip()]
    return key, value if separator else True


def is_input(word: str) -> bool:
    """Whether a word is a file to evaluate, a wildcard for some, a shipped model or a module."""
    path, _ = split_hashes(word)
    if word.startswith("-m "):
        return True
    if "=" in path and not os.path.exists(path):
        return False
    from turnkeyml.discover import is_input_name

    return is_input_name(path) or (glob.has_magic(path) and "/" in path) or is_model(path)


def is_model(word: str) -> bool:
    """Whether a word is a shipped model, a corpus or a wildcard for some."""
    from turnkeyml.discover import shipped_corpora, shipped_named

    return word in shipped_corpora() or ("/" in word and bool(shipped_named(word)))


def is_build(word: str) -> bool:
    """Whether a word is a build name with its hash, or a wildcard."""
    return bool(re.fullmatch(r"[^=]+_[0-9a-f]{8}", word)) or ("=" not in word and "*" in word)


def is_side(word: str) -> bool:
    """Whether a word is something on disk that can be compared."""
    return os.path.exists(word) or (glob.has_magic(word) and "/" in word)
