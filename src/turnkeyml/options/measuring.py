"""Options that select what is evaluated, with which runtimes, and how precisely."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypedDict

from turnkeyml.options import checks, choices, loads, places, suggestions
from turnkeyml.options import checks as recognised
from turnkeyml.options.building import PRECISION, FilePath, Words
from turnkeyml.options.option import Option

_what = partial(Option, group="what to do")
_race = partial(Option, group="contestants")
_measure = partial(Option, group="how to measure")
_load = partial(Option, group="under load", default_in_words="one run at a time")

DEVICE = _measure(
    help=choices.devices_help,
    default=choices.default_device_name,
    check=str,
    suggest=suggestions.devices,
)
RUNTIME = _measure(
    help=choices.runtimes_help,
    default_in_words=choices.default_runtime,
    check=checks.words,
    suggest=suggestions.runtimes,
    nargs="+",
    metavar="RUNTIME",
)
STRICT = _measure(
    help="let only what matches win: a runtime whose outputs are only close, or right on the "
    "recorded inputs alone (specialised), takes part without winning",
    default=False,
)

SCRIPT_ARGS = _what(
    help="arguments for the scripts, quoted as in a shell; commas may separate options",
    check=checks.script_words,
    metavar="ARGS",
)
THREADS = _measure(
    help="number of threads of each runtime",
    default_in_words="the number of usable physical cores",
    check=checks.whole("number of threads", 1),
    metavar="N",
)


class Files(TypedDict, total=False):
    input_files: Annotated[
        Words,
        Option(
            help="scripts (.py), models (.onnx), lists of files (.txt) or models that come with "
            "turnkey (timm/resnet50, timm); wildcards are expanded; FILE.py::HASH,… selects some "
            "of the models in a script; -m package.module runs a module as python -m does",
            default_in_words="-",
            positional=True,
            recognise=recognised.is_input,
            suggest=suggestions.inputs,
            nargs="+",
            metavar="FILE",
        ),
    ]


class AnalyzeOnly(TypedDict, total=False):
    analyze_only: Annotated[
        bool,
        _what(
            help="only list the models in the files; do not build them",
            default=False,
            excludes="only",
        ),
    ]


class BuildOnly(TypedDict, total=False):
    build_only: Annotated[
        bool, _what(help="only build the models; do not measure", default=False, excludes="only")
    ]


class Labels(TypedDict, total=False):
    labels: Annotated[
        Words,
        _what(
            help="select scripts by label: key=value, or key=a,b for either value",
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
    script_args: Annotated[Words | None, SCRIPT_ARGS]
    sweep: Annotated[
        Words,
        _what(
            help="run the scripts once per value of an argument, and ONNX files per size of a "
            "dimension: batch_size=1,2,4,8 or 1..4 or 1..64*2 or 0..100+20; several arguments form "
            "a cross product",
            default=(),
            check=checks.words,
            nargs="+",
            metavar="NAME=VALUES",
        ),
    ]


class FileInputs(TypedDict, total=False):
    input_shape: Annotated[
        Mapping[str, int | Iterable[int]] | Words | None,
        _what(
            help="shapes of the inputs of ONNX files, or sizes of their dimensions by name: "
            "ids=1x128,mask=1x128 or batch=8,sequence=128; --sweep takes the same names",
            default=dict,
            default_in_words="batch 1, sequence 128, images 224",
            check=checks.input_shapes,
            extends=True,
            excludes="inputs",
            metavar="NAME=SHAPE",
        ),
    ]
    inputs: Annotated[
        FilePath | None,
        _what(
            help="a .npz file with the inputs of ONNX files, by name",
            default_in_words="made-up values that are valid for the graph",
            check=checks.input_file,
            suggest=suggestions.files,
            excludes="inputs",
            metavar="FILE",
        ),
    ]


class DeviceOptions(TypedDict, total=False):
    device: Annotated[str, DEVICE]
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


class Strict(TypedDict, total=False):
    strict: Annotated[bool, STRICT]


class LocalInterpreters(TypedDict, total=False):
    python: Annotated[
        Mapping[str, FilePath] | FilePath | Iterable[FilePath] | None,
        _measure(
            help="measure under another Python interpreter, which needs only numpy and the "
            "runtime; repeat it to measure under several in turns",
            default_in_words="that of turnkey",
            check=places.interpreters,
            suggest=suggestions.files,
            extends=True,
            metavar="[NAME=]PATH",
        ),
    ]


class Interpreters(LocalInterpreters, total=False):
    host: Annotated[
        Mapping[str, str] | str | Iterable[str] | None,
        _measure(
            help="measure on another machine over SSH, which needs Python, numpy and the runtime; "
            "--python is the interpreter there; repeat it to measure on several in turns",
            default_in_words="this machine",
            check=places.hosts,
            extends=True,
            metavar="[NAME=]USER@MACHINE",
        ),
    ]


class Contestants(TypedDict, total=False):
    runtime: Annotated[
        Words | None,
        replace(
            RUNTIME,
            group="contestants",
            default_in_words="all that are available",
        ),
    ]
    precision: Annotated[
        Words,
        replace(
            PRECISION,
            group="contestants",
            default=lambda: (choices.known_precisions()[0],),
            default_in_words="",
        ),
    ]
    baseline: Annotated[
        str | None,
        _race(
            help=choices.baseline_help,
            default_in_words="the first runtime that measures the live model, or else the first",
            metavar="NAME",
        ),
    ]
    strict: Annotated[bool, replace(STRICT, group="contestants")]


class Timing(TypedDict, total=False):
    iterations: Annotated[
        int | None,
        _measure(
            help="run exactly N timed iterations",
            default_in_words="at least 100, until the median is known to ±1%",
            check=checks.whole("number of iterations", 1),
            excludes="rule",
            conflicts=("budget",),
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
            help="slower, more precise: five processes, enough runs for a p99",
            default=False,
            excludes="rule",
        ),
    ]
    budget: Annotated[
        float | None,
        _measure(
            help="spend up to S seconds on the timed runs of a measurement or race",
            default_in_words="30 s, 40 s for a race",
            check=checks.seconds("measuring budget"),
            conflicts=("iterations",),
            metavar="S",
        ),
    ]
    threads: Annotated[int | None, THREADS]


class Load(TypedDict, total=False):
    concurrency: Annotated[
        int | Words | None,
        _load(
            help="measure the latency of N clients, each of which sends its next request when the "
            "last one is answered; several numbers as 1,2,4 or 1..16*2",
            check=loads.concurrencies,
            excludes="load",
            metavar="N",
        ),
    ]
    rate: Annotated[
        float | Words | None,
        _load(
            help="measure the latency of R requests per second that arrive at random times "
            "(Poisson), whether earlier ones are answered or not; several rates as 10,20,40",
            check=loads.rates,
            excludes="load",
            metavar="R",
        ),
    ]
    slo: Annotated[
        str | None,
        _load(
            help="find the largest rate whose latency keeps an objective, such as p99=50ms",
            check=loads.objective,
            excludes="load",
            metavar="pP=TIME",
        ),
    ]
    instances: Annotated[
        int | None,
        _load(
            help="under load, execute N requests at the same time, each with its share of the "
            "threads",
            default_in_words="one per thread; 2 on nvidia; openvino chooses its streams",
            check=checks.whole("number of instances", 1),
            metavar="N",
        ),
    ]
