"""How fast is this model, really, on this hardware, with that runtime?

The public names load on first use, so that ``import turnkeyml`` costs nothing.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers know the name; importing typing would cost time
if TYPE_CHECKING:
    from turnkeyml.api import (
        BuildStats,
        benchmark_files,
        benchmark_model,
        build_model,
        build_stats,
        clean_builds,
        compare,
        conditions_met,
        delete_builds,
        explain,
        list_builds,
        list_models,
        list_plugins,
        race_files,
        remeasure,
        system_info,
        tune,
    )
    from turnkeyml.build import Sequence, Stage
    from turnkeyml.cache import BuildState, load_state
    from turnkeyml.errors import TurnkeyError, UsageError
    from turnkeyml.nouns import (
        Evaluation,
        InputResult,
        InvocationResult,
        MeasuredPerformance,
        SystemInfo,
        TuneResult,
    )
    from turnkeyml.report import Comparison

__all__ = [
    "BuildState",
    "BuildStats",
    "Comparison",
    "Evaluation",
    "InputResult",
    "InvocationResult",
    "MeasuredPerformance",
    "Sequence",
    "Stage",
    "SystemInfo",
    "TuneResult",
    "TurnkeyError",
    "UsageError",
    "benchmark_files",
    "benchmark_model",
    "build_model",
    "build_stats",
    "clean_builds",
    "compare",
    "conditions_met",
    "delete_builds",
    "explain",
    "list_builds",
    "list_models",
    "list_plugins",
    "load_state",
    "race_files",
    "remeasure",
    "system_info",
    "tune",
]

_HOMES = {
    "BuildState": "cache",
    "load_state": "cache",
    "Comparison": "report",
    "Evaluation": "nouns",
    "InputResult": "nouns",
    "InvocationResult": "nouns",
    "MeasuredPerformance": "nouns",
    "SystemInfo": "nouns",
    "TuneResult": "nouns",
    "Sequence": "build",
    "Stage": "build",
    "TurnkeyError": "errors",
    "UsageError": "errors",
}
"""The room that offers a public name; the others are in ``api``. ``report`` is only there, because
``turnkeyml.report`` is a room."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'api')}"), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
