"""Options of ``tune``: what is tried, what counts as right, and how long it may take."""

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypedDict

from turnkeyml.errors import UsageError
from turnkeyml.options import checks, choices
from turnkeyml.options.building import CacheOptions, FilePath, Words
from turnkeyml.options.measuring import DEVICE, RUNTIME, FileInputs
from turnkeyml.options.option import Option

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


_try = partial(Option, group="what to try")
_right = partial(Option, group="what counts as right")
_how = partial(Option, group="how to search")


class TuneTarget(TypedDict, total=False):
    target: Annotated[
        str,
        Option(
            help="a script (.py), a model (.onnx) or the name of a build in the cache; "
            "FILE.py::HASH selects one of the models in a script",
            default_in_words="-",
            positional=True,
            metavar="FILE|BUILD",
        ),
    ]


class Space(TypedDict, total=False):
    device: Annotated[str, replace(DEVICE, group="what to try")]
    runtime: Annotated[
        Words | None,
        replace(
            RUNTIME,
            group="what to try",
            default_in_words="all that are available and run ONNX files",
        ),
    ]
    precision: Annotated[
        Words,
        _try(
            help="one or more precisions: {choices}",
            default=(),
            default_in_words="all",
            choices=choices.tuned_precisions,
            check=checks.words,
            nargs="+",
            metavar="P",
        ),
    ]
    threads: Annotated[
        int | str | Iterable[int] | None,
        _try(
            help="numbers of threads, separated by commas: 1,2,4",
            default_in_words="1, the number of usable physical cores, and powers of two between",
            check=numbers("number of threads"),
            metavar="N,…",
        ),
    ]
    batch: Annotated[
        int | str | Iterable[int] | None,
        _try(
            help="how many copies of the recorded inputs make one run, separated by commas; the "
            "batch of the model must have no fixed size",
            default_in_words="1; for --objective throughput also 2, 4, 8 and 16",
            check=numbers("batch"),
            metavar="N,…",
        ),
    ]


class Rightness(TypedDict, total=False):
    tolerance: Annotated[
        str | None,
        _right(
            help="accept outputs within this error on recorded and held-out inputs: "
            "cosine>=0.999, sqnr>=30dB or relative<=0.01 (of the largest output)",
            default_in_words="a trusted verdict, as for a race with --strict",
            check=tolerance,
            metavar="LIMIT",
        ),
    ]
    metric: Annotated[
        FilePath | None,
        _right(
            help="a Python file with a function metric(run), which runs the model on data of "
            "yours and returns a number, the higher the better",
            check=metric,
            metavar="FILE",
        ),
    ]
    metric_drop: Annotated[
        float | str,
        _right(
            help="how much lower than the default's the metric may be, such as 1%%; a number "
            "called minimum in the file of the metric counts instead".replace("%%", "%"),
            default="1%",
            check=share,
            metavar="SHARE",
        ),
    ]


class Search(TypedDict, total=False):
    objective: Annotated[
        str,
        _how(
            help="what to make best: latency (of one run) or throughput (copies of the inputs per "
            "second)",
            default="latency",
            check=objective,
            metavar="WHAT",
        ),
    ]
    budget: Annotated[
        float | str,
        _how(
            help="how long the search may take, such as 90s, 5m or 1h",
            default="5m",
            check=duration,
            metavar="TIME",
        ),
    ]
    restart: Annotated[
        bool,
        _how(
            help="forget what an interrupted search has found; otherwise it goes on",
            default=False,
        ),
    ]
    output: Annotated[
        FilePath | None,
        _how(
            help="write the program that runs the winner to this file, with the model beside it",
            default_in_words="a file in the build",
            check=checks.path,
            short="-o",
            metavar="PROGRAM.py",
        ),
    ]


class TuneOptions(Space, Rightness, Search, FileInputs, CacheOptions, total=False):
    """Options of ``tune``."""
