"""The Python API: every command as a function. The command line is a thin layer over it.

Each function is imported on first use, so that reading the cache does not import the builder.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnkeyml.api.builds import (
        BuildStats,
        build_stats,
        clean_builds,
        delete_builds,
        list_builds,
    )
    from turnkeyml.api.comparing import compare, conditions_met
    from turnkeyml.api.corpora import list_models
    from turnkeyml.api.explaining import explain
    from turnkeyml.api.files import benchmark_files, race_files
    from turnkeyml.api.models import benchmark_model, build_model
    from turnkeyml.api.plan import make_plan
    from turnkeyml.api.plugins import list_plugins
    from turnkeyml.api.remeasuring import remeasure
    from turnkeyml.api.reports import report
    from turnkeyml.api.system import system_info
    from turnkeyml.api.tuning import tune

__all__ = [
    "BuildStats",
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
    "make_plan",
    "race_files",
    "remeasure",
    "report",
    "system_info",
    "tune",
]

_HOMES = {
    "BuildStats": "builds",
    "benchmark_files": "files",
    "benchmark_model": "models",
    "build_model": "models",
    "build_stats": "builds",
    "clean_builds": "builds",
    "compare": "comparing",
    "conditions_met": "comparing",
    "delete_builds": "builds",
    "explain": "explaining",
    "list_builds": "builds",
    "list_models": "corpora",
    "list_plugins": "plugins",
    "make_plan": "plan",
    "race_files": "files",
    "remeasure": "remeasuring",
    "report": "reports",
    "system_info": "system",
    "tune": "tuning",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
