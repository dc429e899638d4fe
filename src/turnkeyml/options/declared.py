"""The options of each command and function, combined from the TypedDicts of the other files.

The fields of a TypedDict are its options, in the order of ``--help``. Their annotations are
evaluated, so these files do not import ``annotations``. The table in docs/options.md is made here.
"""

from __future__ import annotations

from turnkeyml.options.building import (
    Building,
    CacheOptions,
    LeanCache,
    NamedSequence,
    Precisions,
    SequenceFile,
)
from turnkeyml.options.measuring import (
    AnalyzeOnly,
    BuildOnly,
    Contestants,
    DeviceOptions,
    FileInputs,
    Files,
    Interpreters,
    Load,
    Runtimes,
    Selection,
    Strict,
    Timing,
)
from turnkeyml.options.option import Option, options_of
from turnkeyml.options.places import Jobs, Processes, Slurm
from turnkeyml.options.results import (
    Builds,
    BuildsOrAll,
    CompareOptions,
    CompareView,
    CompletionOptions,
    Confirmation,
    DryRun,
    ExplainOptions,
    JsonView,
    ListView,
    ModelNames,
    ModelsOptions,
    ModelsView,
    QuietView,
    RemeasureOptions,
    ReportOptions,
    SelectOptions,
    ServeOptions,
    Sides,
    Targets,
    TraceView,
    Verbose,
)
from turnkeyml.options.tuning import TuneOptions, TuneTarget


class PlanOptions(
    AnalyzeOnly,
    BuildOnly,
    Selection,
    FileInputs,
    DeviceOptions,
    Runtimes,
    Strict,
    Interpreters,
    Timing,
    Load,
    NamedSequence,
    Precisions,
    Building,
    CacheOptions,
    LeanCache,
    total=False,
):
    """Options of ``make_plan``."""


class BenchmarkOptions(
    AnalyzeOnly,
    BuildOnly,
    Selection,
    FileInputs,
    DeviceOptions,
    Runtimes,
    Strict,
    Interpreters,
    Timing,
    Load,
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
    """Options of ``benchmark`` and ``benchmark_files``."""


class RaceOptions(
    Selection,
    FileInputs,
    Contestants,
    DeviceOptions,
    Interpreters,
    Timing,
    Building,
    CacheOptions,
    LeanCache,
    Processes,
    Verbose,
    total=False,
):
    """Options of ``race`` and ``race_files``."""


class BuildOptions(NamedSequence, Building, CacheOptions, total=False):
    """Options of ``build_model``."""


class ModelOptions(
    BuildOnly,
    DeviceOptions,
    Runtimes,
    Interpreters,
    Timing,
    BuildOptions,
    LeanCache,
    total=False,
):
    """Options of ``benchmark_model``."""


COMMANDS: dict[str, tuple[type, ...]] = {
    "benchmark": (Files, BenchmarkOptions, DryRun, JsonView),
    "race": (Files, RaceOptions, DryRun, JsonView),
    "tune": (TuneTarget, TuneOptions, JsonView),
    "explain": (Targets, ExplainOptions, TraceView, JsonView),
    "compare": (Sides, CompareOptions, CompareView, JsonView),
    "cache list": (CacheOptions, ListView, JsonView),
    "cache stats": (Builds, CacheOptions, JsonView),
    "cache print": (Builds, CacheOptions, JsonView),
    "cache delete": (BuildsOrAll, SelectOptions, Confirmation, JsonView),
    "cache clean": (BuildsOrAll, SelectOptions, Confirmation, JsonView),
    "cache benchmark": (BuildsOrAll, RemeasureOptions, Verbose, JsonView),
    "cache report": (ReportOptions, JsonView),
    "cache serve": (ServeOptions,),
    "cache location": (CacheOptions, JsonView),
    "models list": (ModelNames, ModelsOptions, ModelsView, JsonView),
    "models location": (QuietView,),
    "plugins": (JsonView,),
    "completion": (CompletionOptions,),
    "system-info": (JsonView,),
}
"""The options of each command; ``version`` has none."""

FUNCTIONS: dict[str, type] = {"benchmark_model": ModelOptions, "build_model": BuildOptions}
"""The options of functions that no command corresponds to."""


def options_table() -> str:
    """A Markdown table with one row per option and the commands and functions that take it."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for name, declarations in COMMANDS.items():
        for option in options_of(*declarations).values():
            rows.setdefault(_cells(option), []).append(name)
    for name, declaration in FUNCTIONS.items():
        for option in options_of(declaration).values():
            rows.setdefault(_cells(option), []).append(f"`{name}`")
    lines = [(*cells, ", ".join(names)) for cells, names in rows.items()]
    header = ("option", "meaning", "default", "of")
    return "\n".join(map(_line, (header, ("---",) * len(header), *lines)))


def _cells(option: Option) -> tuple[str, str, str]:
    spelling = option.spelling
    if not option.positional and option.type is not bool:
        spelling = f"{spelling} {option.metavar or option.name.upper()}"
    repeated = " …" if option.extends or option.nargs in ("+", "*") else ""
    short = f"`{option.short}`, " if option.short else ""
    return f"{short}`{spelling}{repeated}`", option.meaning(), option.default_words()


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
