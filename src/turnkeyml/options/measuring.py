"""Options that select what is measured, with which runtimes, how precisely, under which load."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, TypedDict

from turnkeyml.errors import UsageError
from turnkeyml.nouns import PERCENTILES, LoadPlan, Objective
from turnkeyml.options import checks, choices, places, suggestions
from turnkeyml.options import checks as recognised
from turnkeyml.options.building import PRECISION, FilePath, Words
from turnkeyml.options.option import Option

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
            check=concurrencies,
            excludes="load",
            metavar="N",
        ),
    ]
    rate: Annotated[
        float | Words | None,
        _load(
            help="measure the latency of R requests per second that arrive at random times "
            "(Poisson), whether earlier ones are answered or not; several rates as 10,20,40",
            check=rates,
            excludes="load",
            metavar="R",
        ),
    ]
    slo: Annotated[
        str | None,
        _load(
            help="find the largest rate whose latency keeps an objective, such as p99=50ms",
            check=objective,
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
