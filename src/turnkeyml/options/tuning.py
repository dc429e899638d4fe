"""Options of ``tune``: what is tried, what counts as right, and how long it may take."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, TypedDict

from turnkeyml.options import checks, choices, tune_checks
from turnkeyml.options.building import CacheOptions, FilePath, Words
from turnkeyml.options.measuring import DEVICE, RUNTIME, FileInputs
from turnkeyml.options.option import Option

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
            check=tune_checks.numbers("number of threads"),
            metavar="N,…",
        ),
    ]
    batch: Annotated[
        int | str | Iterable[int] | None,
        _try(
            help="how many copies of the recorded inputs make one run, separated by commas; the "
            "batch of the model must have no fixed size",
            default_in_words="1; for --objective throughput also 2, 4, 8 and 16",
            check=tune_checks.numbers("batch"),
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
            check=tune_checks.tolerance,
            metavar="LIMIT",
        ),
    ]
    metric: Annotated[
        FilePath | None,
        _right(
            help="a Python file with a function metric(run), which runs the model on data of "
            "yours and returns a number, the higher the better",
            check=tune_checks.metric,
            metavar="FILE",
        ),
    ]
    metric_drop: Annotated[
        float | str,
        _right(
            help="how much lower than the default's the metric may be, such as 1%%; a number "
            "called minimum in the file of the metric counts instead".replace("%%", "%"),
            default="1%",
            check=tune_checks.share,
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
            check=tune_checks.objective,
            metavar="WHAT",
        ),
    ]
    budget: Annotated[
        float | str,
        _how(
            help="how long the search may take, such as 90s, 5m or 1h",
            default="5m",
            check=tune_checks.duration,
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
