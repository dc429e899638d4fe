"""Options for builds and for the cache."""

import os
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypedDict

from turnkeyml import environment
from turnkeyml.options import checks, choices, suggestions
from turnkeyml.options.option import Option

if TYPE_CHECKING:
    from turnkeyml.build import Sequence

Words = str | Iterable[str]
"""One string or several."""
FilePath = str | os.PathLike[str]

_build = partial(Option, group="how to build")
_cache = partial(Option, group="the cache")

PRECISION = _build(
    help="one or more precisions to build: {choices}; runtimes that measure the live model use the "
    "precision of the script, and on a GPU cast it to fp16 or bf16",
    default=(),
    default_in_words="that of the sequence",
    choices=choices.every_precision,
    check=checks.words,
    excludes="sequence",
    nargs="+",
    metavar="P",
)
CACHE_DIR = _cache(
    help="the cache directory",
    default_in_words=f"{environment.CACHE_DIR}, or {environment.DEFAULT_CACHE_DIR}",
    check=checks.cache_folder,
    variable=environment.CACHE_DIR,
    suggest=suggestions.folders,
    short="-d",
)


class NamedSequence(TypedDict, total=False):
    sequence: Annotated[
        "str | Sequence | None",
        _build(
            help=choices.sequences_help,
            default_in_words=choices.default_sequences,
            check=checks.sequence,
            suggest=suggestions.sequences,
            excludes="sequence",
        ),
    ]


class SequenceFile(TypedDict, total=False):
    sequence_file: Annotated[
        FilePath | None,
        _build(
            help="a Python file with a function get_sequence() that returns the sequence",
            check=checks.path,
            suggest=suggestions.files,
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
            default_in_words=choices.default_opset,
            check=checks.whole("ONNX opset", 1),
            variable=environment.ONNX_OPSET,
            metavar="N",
        ),
    ]
    rebuild: Annotated[
        str,
        _build(
            help="when to rebuild a model that is in the cache",
            default=choices.REBUILD_POLICIES[0],
            choices=choices.rebuild_policies,
            noun="rebuild policy",
            metavar="POLICY",
        ),
    ]


class CacheOptions(TypedDict, total=False):
    """Options of ``cache list``, ``cache stats`` and ``cache location``."""

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
