"""Options of the commands for results: the cache, comparisons, reports, lists of models."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, TypedDict

from turnkeyml.options import checks, choices
from turnkeyml.options.building import CACHE_DIR, CacheOptions, FilePath, Words
from turnkeyml.options.measuring import DeviceOptions, Interpreters, Labels, Runtimes, Timing
from turnkeyml.options.option import Option

__all__ = [
    "Builds",
    "BuildsOrAll",
    "ChangeOptions",
    "CompareOptions",
    "CompareView",
    "Confirmation",
    "JsonView",
    "ModelNames",
    "ModelsOptions",
    "ModelsView",
    "QuietView",
    "RemeasureOptions",
    "ReportOptions",
    "Sides",
    "Verbose",
]

BUILD_NAMES = Option(
    help="build names; wildcards are expanded",
    default=(),
    default_in_words="-",
    check=checks.words,
    positional=True,
    nargs="+",
    metavar="BUILD",
)

_SIDE = (
    "a cache directory, build folders (wildcards, if quoted), a report of 'cache report', an "
    "evaluation.json or the output of --json"
)
_side = partial(Option, default_in_words="-", positional=True)


class Verbose(TypedDict, total=False):
    verbose: Annotated[
        bool,
        Option(
            help="print every caution about the conditions of a measurement",
            default=False,
            default_in_words="the two most severe",
        ),
    ]


class JsonView(TypedDict, total=False):
    json: Annotated[
        bool,
        Option(
            help="print one JSON document to standard output, everything else to standard error",
            default=False,
            default_in_words="text",
        ),
    ]


class Builds(TypedDict, total=False):
    build_names: Annotated[Words, BUILD_NAMES]


class BuildsOrAll(TypedDict, total=False):
    build_names: Annotated[Words, replace(BUILD_NAMES, nargs="*")]


class ChangeOptions(CacheOptions, total=False):
    """Options of ``cache delete`` and ``cache clean``."""

    all: Annotated[bool, Option(help="select every build in the cache", default=False)]


class Confirmation(TypedDict, total=False):
    yes: Annotated[bool, Option(help="do not ask for confirmation of --all", default=False)]


class RemeasureOptions(ChangeOptions, DeviceOptions, Runtimes, Interpreters, Timing, total=False):
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
            short="-r",
        ),
    ]
    format: Annotated[
        Words,
        Option(
            help="one or more output formats",
            default=("csv",),
            choices=choices.formats,
            check=checks.words,
            nargs="+",
            metavar="FORMAT",
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
            help="exit with status 1 if a model is slower by P% or more (slower:P%), if it was "
            "successful in A and failed in B (failed), or if it is missing in B (vanished)",
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
            help="output format",
            default="text",
            choices=choices.formats,
            metavar="FORMAT",
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
            nargs="*",
            metavar="MODEL",
        ),
    ]


class QuietView(TypedDict, total=False):
    quiet: Annotated[bool, Option(help="print only the path", default=False)]


class ModelsView(TypedDict, total=False):
    quiet: Annotated[bool, Option(help="print only the names", default=False)]
