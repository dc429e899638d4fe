"""Every option, declared once for the command line and the API."""

from turnkeyml.options.building import CacheOptions
from turnkeyml.options.declared import (
    COMMANDS,
    FUNCTIONS,
    BenchmarkOptions,
    BuildOptions,
    ModelOptions,
    PlanOptions,
    RaceOptions,
)
from turnkeyml.options.explaining import ExplainOptions, TraceView
from turnkeyml.options.keywords import takes
from turnkeyml.options.option import Option, options_of, settle
from turnkeyml.options.results import (
    ChangeOptions,
    CompareOptions,
    CompareView,
    CompletionOptions,
    Confirmation,
    DryRun,
    JsonView,
    ModelsOptions,
    ModelsView,
    QuietView,
    RemeasureOptions,
    ReportOptions,
    ServeOptions,
    Verbose,
)
from turnkeyml.options.selecting import ListView, SelectOptions
from turnkeyml.options.spelling import in_keywords
from turnkeyml.options.tuning import TuneOptions

__all__ = [
    "COMMANDS",
    "FUNCTIONS",
    "BenchmarkOptions",
    "BuildOptions",
    "CacheOptions",
    "ChangeOptions",
    "CompareOptions",
    "CompareView",
    "CompletionOptions",
    "Confirmation",
    "DryRun",
    "ExplainOptions",
    "JsonView",
    "ListView",
    "ModelOptions",
    "ModelsOptions",
    "ModelsView",
    "Option",
    "PlanOptions",
    "QuietView",
    "RaceOptions",
    "RemeasureOptions",
    "ReportOptions",
    "SelectOptions",
    "ServeOptions",
    "TuneOptions",
    "TraceView",
    "Verbose",
    "in_keywords",
    "options_of",
    "settle",
    "takes",
]
