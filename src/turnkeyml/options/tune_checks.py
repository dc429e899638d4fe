"""Checks of the options of ``tune``: each returns the converted value or raises a UsageError."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from typing import Any

from turnkeyml.errors import UsageError

OBJECTIVES = ("latency", "throughput")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def numbers(what: str) -> Callable[[Any], tuple[int, ...]]:
    """A check for positive integers, from one, several, or ``1,2,4``; None gives none."""

    def check(value: Any) -> tuple[int, ...]:
        if value is None:
            return ()
        parts = value.split(",") if isinstance(value, str) else value
        parts = parts if isinstance(parts, (list, tuple)) else [parts]
        try:
            found = [int(part) for part in parts]
        except (TypeError, ValueError):
            found = [0]
        if not found or min(found) < 1:
            raise UsageError(f"The {what} must be integers of at least 1, as 1,2,4, not {value!r}.")
        return tuple(sorted(set(found)))

    return check


def duration(value: Any) -> float:
    """Seconds, from a number or from 90s, 5m or 1h."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", str(value).strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not (seconds > 0 and math.isfinite(seconds)):
        raise UsageError(f"The budget must be a time such as 90s, 5m or 1h, not {value!r}.")
    return seconds


def tolerance(value: Any) -> str | None:
    """A tolerance in its usual spelling; None passes."""
    from turnkeyml.tuning import parse_tolerance

    return None if value is None else str(parse_tolerance(str(value)))


def metric(value: Any) -> str | None:
    """The path of a file that defines a metric; None passes."""
    from turnkeyml.tuning import check_metric

    if value is None:
        return None
    path = os.path.expanduser(os.fspath(value))
    check_metric(path)
    return path


def share(value: Any) -> float:
    """A share, from a number or from 1%."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?(?:e-?\d+)?)\s*(%?)", str(value).strip())
    if not found:
        raise UsageError(f"The drop of the metric must be a share such as 1%, not {value!r}.")
    return float(found[1]) / (100 if found[2] else 1)


def objective(value: Any) -> str:
    """One of the objectives."""
    if value not in OBJECTIVES:
        raise UsageError(f"Unknown objective {value!r}; choose from: {', '.join(OBJECTIVES)}.")
    return str(value)
