"""What to evaluate, with which runtimes, and for how long."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypedDict

from turnkeyml.options import checks, choices
from turnkeyml.options.building import PRECISION, Words
from turnkeyml.options.option import Option

__all__ = [
    "AnalyzeOnly",
    "BuildOnly",
    "Contestants",
    "DeviceOptions",
    "Files",
    "Labels",
    "Runtimes",
    "Selection",
    "Timing",
]

_what = partial(Option, group="what to do")
_who = partial(Option, group="who takes part")
_measure = partial(Option, group="how to measure")

RUNTIME = _measure(
    help=choices.runtimes_help,
    default_in_words=choices.default_runtime,
    check=checks.words,
    nargs="+",
    metavar="RUNTIME",
)


class Files(TypedDict, total=False):
    input_files: Annotated[
        Words,
        Option(
            help="scripts (.py), models (.onnx) or lists of them (.txt), or models that come with "
            "turnkey (timm/resnet50, timm); wildcards are expanded; FILE.py::HASH,… restricts to "
            "some of the models in a script",
            default_in_words="-",
            positional=True,
            nargs="+",
            metavar="FILE",
        ),
    ]


class AnalyzeOnly(TypedDict, total=False):
    analyze_only: Annotated[
        bool,
        _what(
            help="list the models",
            default=False,
            default_in_words="build them too",
            excludes="only",
        ),
    ]


class BuildOnly(TypedDict, total=False):
    build_only: Annotated[
        bool, _what(help="build", default=False, default_in_words="measure too", excludes="only")
    ]


class Labels(TypedDict, total=False):
    labels: Annotated[
        Words,
        _what(
            help="only scripts with these labels: key::value, or key::a,b for either value",
            default=(),
            default_in_words="all",
            check=checks.words,
            nargs="+",
            extends=True,
            metavar="LABEL",
        ),
    ]


class Selection(Labels, total=False):
    max_depth: Annotated[
        int,
        _what(
            help="also list, build and measure sub-models down to this depth",
            default=0,
            check=checks.whole("maximum depth", 0),
            metavar="N",
        ),
    ]
    script_args: Annotated[
        Words | None,
        _what(
            help="arguments for the scripts, quoted as in a shell; a comma before an option "
            "separates too",
            check=checks.script_words,
            metavar="ARGS",
        ),
    ]
    sweep: Annotated[
        Words,
        _what(
            help="run the scripts with each value of an argument: batch_size=1,2,4,8 or 1..4 or "
            "1..64*2 or 0..100+20; several make every combination",
            default=(),
            check=checks.words,
            nargs="+",
            metavar="NAME=VALUES",
        ),
    ]


class DeviceOptions(TypedDict, total=False):
    device: Annotated[
        str,
        _measure(
            help="kind of hardware",
            default=choices.default_device_name,
            choices=choices.device_names,
        ),
    ]
    rt_args: Annotated[
        Mapping[str, Any] | Words | None,
        _measure(
            help=choices.runtime_arguments_help,
            check=checks.runtime_arguments,
            nargs="+",
            metavar="ARG",
        ),
    ]


class Runtimes(TypedDict, total=False):
    runtime: Annotated[Words | None, RUNTIME]


class Contestants(TypedDict, total=False):
    runtime: Annotated[
        Words | None,
        replace(
            RUNTIME,
            group="who takes part",
            default_in_words="every one that is available here",
        ),
    ]
    precision: Annotated[
        Words,
        replace(
            PRECISION,
            group="who takes part",
            default=lambda: (choices.precisions()[0],),
            default_in_words="",
        ),
    ]
    baseline: Annotated[
        str | None,
        _who(
            help=choices.baseline_help,
            default_in_words="a runtime that measures the live model, or the first",
            metavar="NAME",
        ),
    ]


class Timing(TypedDict, total=False):
    iterations: Annotated[
        int | None,
        _measure(
            help="exactly N timed runs",
            default_in_words="at least 100, until the median is known to ±1%",
            check=checks.whole("number of iterations", 1),
            excludes="rule",
            metavar="N",
        ),
    ]
    quick: Annotated[
        bool,
        _measure(
            help="faster, less precise: stop at ±5%",
            default=False,
            excludes="rule",
        ),
    ]
    rigorous: Annotated[
        bool,
        _measure(
            help="five fresh processes, enough runs for a p99",
            default=False,
            excludes="rule",
        ),
    ]
    threads: Annotated[
        int | None,
        _measure(
            help="threads of every runtime",
            default_in_words="the physical cores that we may use",
            check=checks.whole("number of threads", 1),
            metavar="N",
        ),
    ]
