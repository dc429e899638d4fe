"""Options of commands that read results: the cache, comparisons, reports, explanations, models."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, TypedDict

from turnkeyml.options import checks, choices, suggestions
from turnkeyml.options import checks as recognised
from turnkeyml.options.building import (
    CACHE_DIR,
    Building,
    CacheOptions,
    FilePath,
    Precisions,
    Words,
)
from turnkeyml.options.measuring import (
    SCRIPT_ARGS,
    THREADS,
    DeviceOptions,
    FileInputs,
    Interpreters,
    Labels,
    Load,
    LocalInterpreters,
    Runtimes,
    Timing,
)
from turnkeyml.options.option import Option

BUILD_NAMES = Option(
    help="build names; wildcards are expanded",
    default=(),
    default_in_words="-",
    check=checks.words,
    positional=True,
    recognise=recognised.is_build,
    suggest=suggestions.builds,
    nargs="+",
    metavar="BUILD",
)

_SIDE = (
    "a cache directory, build folders (wildcards, if quoted), a report of 'cache report', an "
    "evaluation.json or the output of --json"
)
_side = partial(
    Option,
    default_in_words="-",
    positional=True,
    recognise=recognised.is_side,
    suggest=suggestions.files,
)


class Verbose(TypedDict, total=False):
    verbose: Annotated[
        bool,
        Option(
            help="print every caution about the conditions of a measurement",
            default=False,
            default_in_words="the two most severe",
        ),
    ]


class DryRun(TypedDict, total=False):
    dry_run: Annotated[
        bool,
        Option(
            help="show what would be done, how long it took last time and what the cache has of "
            "it; run nothing",
            default=False,
            in_file=False,
        ),
    ]


class JsonView(TypedDict, total=False):
    json: Annotated[
        bool,
        Option(
            help="print one JSON document to standard output, everything else to standard error",
            default=False,
            default_in_words="text",
            in_file=False,
        ),
    ]


class Builds(TypedDict, total=False):
    build_names: Annotated[Words, BUILD_NAMES]


class BuildsOrAll(TypedDict, total=False):
    build_names: Annotated[Words, replace(BUILD_NAMES, nargs="*")]


class ChangeOptions(CacheOptions, total=False):
    """Options that select builds by name or all of them."""

    all: Annotated[
        bool, Option(help="select every build in the cache", default=False, in_file=False)
    ]


class Confirmation(TypedDict, total=False):
    yes: Annotated[
        bool,
        Option(help="do not ask for confirmation", default=False, in_file=False),
    ]


class RemeasureOptions(
    ChangeOptions, DeviceOptions, Runtimes, Interpreters, Timing, Load, total=False
):
    """Options of ``cache benchmark``."""

    skip: Annotated[
        str,
        Option(
            help="skip builds by the outcome of an earlier measurement with the same runtime",
            default="none",
            choices=choices.skip_policies,
            noun="skip policy",
            metavar="WHICH",
        ),
    ]


class ReportOptions(TypedDict, total=False):
    """Options of ``cache report``."""

    cache_dir: Annotated[
        FilePath | Iterable[FilePath] | None,
        replace(CACHE_DIR, check=checks.cache_folders, nargs="+", extends=True),
    ]
    report_dir: Annotated[
        FilePath,
        Option(
            help="the output directory",
            default=".",
            default_in_words="the working directory",
            check=checks.path,
            suggest=suggestions.folders,
            short="-r",
        ),
    ]
    format: Annotated[
        Words,
        Option(
            help="one or more output formats",
            default=(),
            default_in_words="csv, or what the suffix of --output names",
            choices=choices.formats,
            check=checks.words,
            nargs="+",
            metavar="FORMAT",
        ),
    ]
    output: Annotated[
        FilePath | Iterable[FilePath] | None,
        Option(
            help="one output file per format; the suffix of a file names its format",
            default=(),
            default_in_words="YYYY-MM-DD with the suffix of the format, in --report-dir",
            check=checks.paths,
            suggest=suggestions.files,
            short="-o",
            nargs="+",
            metavar="FILE",
        ),
    ]
    all: Annotated[
        bool,
        Option(
            help="report every measurement, also those that were repeated later",
            default=False,
            default_in_words="the last of each kind",
        ),
    ]


class ServeOptions(TypedDict, total=False):
    """Options of ``cache serve``."""

    cache_dir: Annotated[
        FilePath | Iterable[FilePath] | None,
        replace(CACHE_DIR, check=checks.cache_folders, nargs="+", extends=True),
    ]
    bind: Annotated[
        str,
        Option(
            help="the address to listen at; others can read the cache unless it is that of this "
            "machine alone",
            default="127.0.0.1",
            metavar="ADDRESS",
        ),
    ]
    port: Annotated[
        int,
        Option(
            help="the port to listen at; 0 for any free one",
            default=8717,
            check=checks.port,
            metavar="PORT",
        ),
    ]
    all: Annotated[
        bool,
        Option(
            help="show every measurement, also those that were repeated later",
            default=False,
            default_in_words="the last of each kind",
        ),
    ]


class Sides(TypedDict, total=False):
    a: Annotated[str, _side(help=f"before: {_SIDE}", metavar="A")]
    b: Annotated[str, _side(help=f"after: {_SIDE}", metavar="B")]


class CompareOptions(TypedDict, total=False):
    """Options of ``compare``."""

    fail_on: Annotated[
        Words,
        Option(
            help="exit with status 1 if a model is slower by P% or more (slower:P%), was "
            "successful in A and failed in B (failed), is missing in B (vanished), computes "
            "something else in B and did not in A (mismatch), or cannot be decided (unclear)",
            default=(),
            default_in_words="never",
            check=checks.conditions,
            nargs="+",
            extends=True,
            metavar="CONDITION",
        ),
    ]


class CompareView(Verbose, total=False):
    format: Annotated[
        str | None,
        Option(
            help="output format",
            default=None,
            default_in_words="text, or what the suffix of --output names",
            choices=choices.formats,
            metavar="FORMAT",
        ),
    ]
    output: Annotated[
        FilePath | None,
        Option(
            help="write to this file; its suffix names the format",
            default=None,
            default_in_words="print; html goes to a file if this is a terminal",
            check=checks.path,
            suggest=suggestions.files,
            short="-o",
            metavar="FILE",
        ),
    ]


class ModelsOptions(Labels, total=False):
    """Options of ``models list``."""


class ModelNames(TypedDict, total=False):
    names: Annotated[
        Words,
        Option(
            help="corpora (timm), models (timm/resnet50) or wildcards ('timm/resnet*')",
            default=(),
            default_in_words="all",
            positional=True,
            recognise=recognised.is_model,
            suggest=suggestions.models,
            nargs="*",
            metavar="MODEL",
        ),
    ]


class QuietView(TypedDict, total=False):
    quiet: Annotated[bool, Option(help="print only the path", default=False)]


class ModelsView(TypedDict, total=False):
    quiet: Annotated[bool, Option(help="print only the names", default=False)]


class CompletionOptions(TypedDict, total=False):
    """Options of ``completion``."""

    shell: Annotated[
        str,
        Option(
            help="the shell",
            default_in_words="-",
            choices=choices.shells,
            positional=True,
            metavar="SHELL",
        ),
    ]


class ListView(TypedDict, total=False):
    sort: Annotated[
        str,
        Option(
            help="the order of the builds: {choices}; the fastest, best graded, newest or largest "
            "first, and the worst verdict",
            default="name",
            choices=choices.orders,
            noun="order",
            metavar="BY",
        ),
    ]


class SelectOptions(ChangeOptions, total=False):
    """Options of ``cache delete`` and ``cache clean``."""

    older_than: Annotated[
        str | float | None,
        Option(
            help="only builds that were last measured, or else built, longer ago, such as 30d, "
            "12h or 90m",
            default_in_words="any age",
            check=checks.age,
            in_file=False,
            metavar="AGE",
        ),
    ]
    larger_than: Annotated[
        str | int | None,
        Option(
            help="only builds whose files take more, such as 1GB or 500MB",
            default_in_words="any size",
            check=checks.size,
            in_file=False,
            metavar="SIZE",
        ),
    ]
    failed: Annotated[
        bool,
        Option(
            help="only builds that failed or that no runtime could measure",
            default=False,
            in_file=False,
        ),
    ]


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
