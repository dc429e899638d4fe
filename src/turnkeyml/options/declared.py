"""Every option, declared once. Commands and functions take the typed dicts at the end.

The fields of a typed dict are its options. The small ones are what several commands share; their
order is that of ``--help``. Annotations are evaluated here, so there is no ``annotations`` import.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from turnkeyml import environment
from turnkeyml.options import checks, choices
from turnkeyml.options.option import Option

if TYPE_CHECKING:
    from turnkeyml.build.stage import Sequence

__all__ = [
    "COMMANDS",
    "FUNCTIONS",
    "BenchmarkOptions",
    "BuildOptions",
    "CacheOptions",
    "ChangeOptions",
    "CompareOptions",
    "CompareView",
    "Confirmation",
    "JsonView",
    "ModelOptions",
    "ModelsOptions",
    "ModelsView",
    "PlanOptions",
    "QuietView",
    "RaceOptions",
    "RemeasureOptions",
    "ReportOptions",
]

Words = str | Iterable[str]
"""One word or several."""
FilePath = str | os.PathLike[str]

_what = partial(Option, group="what to do")
_who = partial(Option, group="who takes part")
_measure = partial(Option, group="how to measure")
_build = partial(Option, group="how to build")
_cache = partial(Option, group="the cache")
_process = partial(Option, group="processes")
_slurm = partial(Option, group="Slurm")

RUNTIME = _measure(
    help=choices.runtimes_help,
    default_in_words=choices.default_runtime,
    check=checks.words,
    nargs="+",
    metavar="RUNTIME",
)
PRECISION = _build(
    help="one or more, for runtimes that measure a build: {choices}; live models are measured as "
    "the script made them",
    default=(),
    default_in_words="that of the sequence",
    choices=choices.precisions,
    check=checks.words,
    excludes="sequence",
    nargs="+",
    metavar="P",
)
CACHE_DIR = _cache(
    help="where builds are kept",
    default_in_words=f"{environment.CACHE_DIR}, or {environment.DEFAULT_CACHE_DIR}",
    check=checks.cache_folder,
    short="-d",
)
BUILD_NAMES = Option(
    help="names of builds; wildcards work",
    default=(),
    default_in_words="-",
    check=checks.words,
    positional=True,
    nargs="+",
    metavar="BUILD",
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


class NamedSequence(TypedDict, total=False):
    sequence: Annotated[
        "str | Sequence | None",
        _build(
            help="build sequence",
            default_in_words=choices.default_sequences,
            choices=choices.sequence_names,
            excludes="sequence",
        ),
    ]


class SequenceFile(TypedDict, total=False):
    sequence_file: Annotated[
        FilePath | None,
        _build(
            help="a Python file whose get_sequence() returns the sequence",
            check=checks.path,
            excludes="sequence",
            metavar="FILE",
        ),
    ]


class Precisions(TypedDict, total=False):
    precision: Annotated[Words, PRECISION]


class Building(TypedDict, total=False):
    onnx_opset: Annotated[
        int | None,
        _build(
            help="opset of exported ONNX files",
            default_in_words=choices.opset_in_words,
            check=checks.whole("ONNX opset", 1),
            metavar="N",
        ),
    ]
    rebuild: Annotated[
        str,
        _build(
            help="when to build again what is in the cache",
            default=choices.REBUILD_POLICIES[0],
            choices=choices.rebuild_policies,
            noun="rebuild policy",
            metavar="POLICY",
        ),
    ]


class CacheOptions(TypedDict, total=False):
    """Of ``cache list``, ``stats`` and ``location``."""

    cache_dir: Annotated[FilePath | None, CACHE_DIR]


class LeanCache(TypedDict, total=False):
    lean_cache: Annotated[
        bool,
        _cache(
            help="keep only logs, state and stats",
            default=False,
            default_in_words="keep everything",
        ),
    ]


class Processes(TypedDict, total=False):
    process_isolation: Annotated[
        bool,
        _process(
            help="kill an input after the timeout",
            default=False,
            default_in_words="no limit",
            excludes="isolation",
        ),
    ]
    timeout: Annotated[
        float | None,
        _process(
            help="seconds that an input may take",
            default_in_words=f"{environment.TIMEOUT_SECONDS}, or "
            f"{environment.DEFAULT_TIMEOUT_SECONDS}, where there is a limit",
            check=checks.seconds,
            metavar="S",
        ),
    ]
    memory_limit: Annotated[
        str | int | None,
        _process(
            help="memory that an input and what it starts may use, such as 8G",
            default_in_words="no limit",
            check=checks.memory_size,
            metavar="SIZE",
        ),
    ]
    resume: Annotated[
        bool,
        _process(
            help="continue an earlier run of the same command: what is finished is not done again",
            default=False,
        ),
    ]
    retry: Annotated[
        str | None,
        _process(
            help="resume and repeat the inputs with this outcome",
            choices=choices.retries,
            metavar="OUTCOME",
        ),
    ]


class Jobs(TypedDict, total=False):
    jobs: Annotated[
        int,
        _process(
            help="find and build N inputs at a time; measurements have the machine to themselves",
            default=1,
            check=checks.whole("number of jobs", 1),
            metavar="N",
        ),
    ]


class Slurm(TypedDict, total=False):
    use_slurm: Annotated[
        bool,
        _slurm(
            help="run each input as a Slurm job of its own",
            default=False,
            default_in_words="run here",
            excludes="isolation",
        ),
    ]
    slurm_args: Annotated[
        str | None,
        _slurm(
            help='options for sbatch, such as "partition=gpu gres=gpu:1 mem=16G"', metavar="ARGS"
        ),
    ]
    slurm_max_jobs: Annotated[
        int,
        _slurm(
            help="the most jobs in the queue at a time",
            default=50,
            check=checks.whole("number of Slurm jobs", 1),
            metavar="N",
        ),
    ]
    slurm_python: Annotated[
        str | None,
        _slurm(
            help="the interpreter of the jobs",
            default_in_words="the one that runs turnkey",
            metavar="PYTHON",
        ),
    ]


class Verbose(TypedDict, total=False):
    verbose: Annotated[
        bool,
        Option(
            help="print every caution about the conditions of a measurement",
            default=False,
            default_in_words="the gravest",
        ),
    ]


class JsonView(TypedDict, total=False):
    json: Annotated[
        bool,
        Option(
            help="print one JSON document, and everything else to standard error",
            default=False,
            default_in_words="text",
        ),
    ]


class Builds(TypedDict, total=False):
    build_names: Annotated[Words, BUILD_NAMES]


class BuildsOrAll(TypedDict, total=False):
    build_names: Annotated[Words, replace(BUILD_NAMES, nargs="*")]


class ChangeOptions(CacheOptions, total=False):
    """Of ``cache delete`` and ``cache clean``."""

    all: Annotated[bool, Option(help="every build in the cache", default=False)]


class Confirmation(TypedDict, total=False):
    yes: Annotated[bool, Option(help="do not ask before --all", default=False)]


class RemeasureOptions(ChangeOptions, DeviceOptions, Runtimes, Timing, total=False):
    """Of ``cache benchmark``."""

    skip: Annotated[
        str,
        Option(
            help="builds not to measure with a runtime, by the outcome of an earlier measurement "
            "with it",
            default="none",
            choices=choices.skip_policies,
            noun="skip policy",
            metavar="WHICH",
        ),
    ]


class ReportOptions(TypedDict, total=False):
    """Of ``cache report``."""

    cache_dir: Annotated[
        FilePath | Iterable[FilePath] | None,
        replace(CACHE_DIR, check=checks.cache_folders, nargs="+", extends=True),
    ]
    report_dir: Annotated[
        FilePath,
        Option(
            help="where the files go",
            default=".",
            default_in_words="the working folder",
            check=checks.path,
            short="-r",
        ),
    ]
    format: Annotated[
        Words,
        Option(
            help="one or more formats",
            default=("csv",),
            choices=choices.report_formats,
            check=checks.words,
            nargs="+",
            metavar="FORMAT",
        ),
    ]


_SIDE = (
    "a cache directory, build folders (quoted wildcards work), a report of 'cache report', an "
    "evaluation.json or the output of --json"
)
_side = partial(Option, default_in_words="-", positional=True)


class Sides(TypedDict, total=False):
    a: Annotated[str, _side(help=f"before: {_SIDE}", metavar="A")]
    b: Annotated[str, _side(help=f"after: {_SIDE}", metavar="B")]


class CompareOptions(TypedDict, total=False):
    """Of ``compare``."""

    fail_on: Annotated[
        Words,
        Option(
            help="exit with 1 if a model is slower by P% or more (slower:P%), if one that was "
            "successful has failed (failed), or if one is missing in B (vanished)",
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
        str,
        Option(
            help="how the comparison is printed",
            default="text",
            choices=choices.comparison_formats,
            metavar="FORMAT",
        ),
    ]


class ModelsOptions(Labels, total=False):
    """Of ``models list``."""


class ModelNames(TypedDict, total=False):
    names: Annotated[
        Words,
        Option(
            help="corpora (timm), models (timm/resnet50) or wildcards ('timm/resnet*')",
            default=(),
            default_in_words="all",
            positional=True,
            nargs="*",
            metavar="MODEL",
        ),
    ]


class QuietView(TypedDict, total=False):
    quiet: Annotated[bool, Option(help="print the path alone", default=False)]


class ModelsView(TypedDict, total=False):
    quiet: Annotated[bool, Option(help="print the names alone", default=False)]


class PlanOptions(
    AnalyzeOnly,
    BuildOnly,
    Selection,
    DeviceOptions,
    Runtimes,
    Timing,
    NamedSequence,
    Precisions,
    Building,
    CacheOptions,
    LeanCache,
    total=False,
):
    """Of ``make_plan``."""


class BenchmarkOptions(
    AnalyzeOnly,
    BuildOnly,
    Selection,
    DeviceOptions,
    Runtimes,
    Timing,
    NamedSequence,
    SequenceFile,
    Precisions,
    Building,
    CacheOptions,
    LeanCache,
    Processes,
    Jobs,
    Slurm,
    Verbose,
    total=False,
):
    """Of ``benchmark`` and ``benchmark_files``."""


class RaceOptions(
    Selection,
    Contestants,
    DeviceOptions,
    Timing,
    Building,
    CacheOptions,
    LeanCache,
    Processes,
    Verbose,
    total=False,
):
    """Of ``race`` and ``race_files``."""


class BuildOptions(NamedSequence, Building, CacheOptions, total=False):
    """Of ``build_model``."""


class ModelOptions(
    BuildOnly, DeviceOptions, Runtimes, Timing, BuildOptions, LeanCache, total=False
):
    """Of ``benchmark_model``."""


COMMANDS: dict[str, tuple[type, ...]] = {
    "benchmark": (Files, BenchmarkOptions, JsonView),
    "race": (Files, RaceOptions, JsonView),
    "compare": (Sides, CompareOptions, CompareView, JsonView),
    "cache list": (CacheOptions, JsonView),
    "cache stats": (Builds, CacheOptions, JsonView),
    "cache print": (Builds, CacheOptions, JsonView),
    "cache delete": (BuildsOrAll, ChangeOptions, Confirmation, JsonView),
    "cache clean": (BuildsOrAll, ChangeOptions, Confirmation, JsonView),
    "cache benchmark": (BuildsOrAll, RemeasureOptions, Verbose, JsonView),
    "cache report": (ReportOptions, JsonView),
    "cache location": (CacheOptions, JsonView),
    "models list": (ModelNames, ModelsOptions, ModelsView, JsonView),
    "models location": (QuietView,),
    "system-info": (JsonView,),
    "version": (),
}
"""What each command takes."""

FUNCTIONS: dict[str, type] = {"benchmark_model": ModelOptions, "build_model": BuildOptions}
"""What functions take that are no command."""
