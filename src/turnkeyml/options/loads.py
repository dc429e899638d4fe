"""Loads as people write them: numbers of clients, rates and objectives."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from turnkeyml.errors import UsageError
from turnkeyml.nouns import PERCENTILES, LoadPlan, Objective

MOST_CLIENTS = 10_000
MOST_RATE = 1_000_000.0
"""Requests per second: more than any generator in Python could send."""
UNITS = {"us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}
"""In milliseconds."""


def concurrencies(value: Any) -> tuple[int, ...]:
    """Numbers of clients, from one number, several, or words such as ``1,2,4`` and ``1..16*2``."""
    found = []
    for word in _words(value):
        if not re.fullmatch(r"\d+", word) or not 1 <= int(word) <= MOST_CLIENTS:
            raise UsageError(
                f"--concurrency must be integers from 1 to {MOST_CLIENTS:,}, such as 4 or 1,2,4, "
                f"not {word!r}."
            )
        found.append(int(word))
    return tuple(dict.fromkeys(found))


def rates(value: Any) -> tuple[float, ...]:
    """Requests per second, from one number, several, or words such as ``10,20,40``."""
    found = []
    for word in _words(value):
        try:
            rate = float(word)
        except ValueError:
            rate = math.nan
        if not 0 < rate <= MOST_RATE:
            raise UsageError(
                "--rate must be requests per second, numbers above 0 and up to "
                f"{MOST_RATE:,.0f} such as 20 or 10,20,40, not {word!r}."
            )
        found.append(rate)
    return tuple(dict.fromkeys(found))


def objective(value: Any) -> Objective | None:
    """An objective, from words such as ``p99=50ms``; None passes."""
    if value is None or isinstance(value, Objective):
        return value
    found = re.fullmatch(r"p(\d+)=(\d+(?:\.\d+)?|\.\d+)\s*([a-zµ]*)", str(value).strip())
    known = ", ".join(f"p{percent}" for percent in PERCENTILES)
    if found is None:
        raise UsageError(f"--slo must be a percentile and its limit, as p99=50ms, not {value!r}.")
    percent, limit, unit = int(found[1]), float(found[2]), found[3]
    if percent not in PERCENTILES:
        raise UsageError(f"--slo knows no p{percent}; choose from: {known}.")
    if unit not in UNITS:
        units = ", ".join(UNITS)
        raise UsageError(f"The limit of --slo needs a unit ({units}), as in p{percent}=50ms.")
    if limit <= 0:
        raise UsageError(f"The limit of --slo must be above 0, not {limit:g}{unit}.")
    return Objective(percent, limit * UNITS[unit])


def load_of(options: Mapping[str, Any]) -> LoadPlan | None:
    """The load that settled options ask for; None for one run at a time."""
    clients, sent = options.get("concurrency") or (), options.get("rate") or ()
    wanted, instances = options.get("slo"), options.get("instances")
    if wanted is not None:
        _require_enough(wanted, options.get("iterations"))
    if clients or sent or wanted:
        return LoadPlan(sent, clients, wanted, instances or 0)
    if instances is not None:
        raise UsageError("--instances is for a load; add --concurrency, --rate or --slo.")
    return None


def _require_enough(wanted: Objective, requests: int | None) -> None:
    """Raise a usage error if so many requests do not tell the percentile of an objective."""
    from turnkeyml.measure import SAMPLES_NEEDED

    needed = SAMPLES_NEEDED[wanted.percentile]
    if requests is not None and requests < needed:
        raise UsageError(
            f"A p{wanted.percentile} needs at least {needed} requests; raise --iterations or leave "
            "it out."
        )


def _words(value: Any) -> Iterable[str]:
    """The single numbers, as words; ranges are expanded as those of a sweep."""
    from turnkeyml.discover import parse_sweep

    if value is None:
        return ()
    if isinstance(value, (int, float, str)):
        value = (value,)
    words = [str(word) for word in value]
    joined = ",".join(words)
    if not joined.strip():
        return words
    return [point["load"] for point in parse_sweep([f"load={joined}"])]
