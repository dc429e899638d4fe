"""Options of ``explain``."""

from typing import Annotated, TypedDict

from turnkeyml.options import checks
from turnkeyml.options.building import Building, CacheOptions, FilePath, Precisions, Words
from turnkeyml.options.measuring import (
    SCRIPT_ARGS,
    THREADS,
    DeviceOptions,
    FileInputs,
    LocalInterpreters,
    Runtimes,
)
from turnkeyml.options.option import Option


class Targets(TypedDict, total=False):
    targets: Annotated[
        Words,
        Option(
            help="builds of the cache, or scripts (.py) and models (.onnx), which are built first "
            "if the cache does not have them; FILE.py::HASH,… selects some of the models in a "
            "script",
            default_in_words="-",
            positional=True,
            nargs="+",
            metavar="BUILD|FILE",
        ),
    ]


class ExplainOptions(
    FileInputs,
    DeviceOptions,
    Runtimes,
    LocalInterpreters,
    Precisions,
    Building,
    CacheOptions,
    total=False,
):
    """Options of ``explain``."""

    threads: Annotated[int | None, THREADS]
    script_args: Annotated[Words | None, SCRIPT_ARGS]
    remeasure_peaks: Annotated[
        bool,
        Option(
            help="measure again what this machine can do (matrix products, memory bandwidth)",
            default=False,
            default_in_words="once per machine and number of threads",
            group="how to measure",
        ),
    ]


class TraceView(TypedDict, total=False):
    trace: Annotated[
        FilePath | None,
        Option(
            help="write a trace of one profiled run to this file, for Perfetto",
            default=None,
            default_in_words="only into the build folder",
            check=checks.path,
            metavar="FILE",
        ),
    ]
