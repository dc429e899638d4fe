"""How fast is this model, really, on this hardware, with that runtime?

The public names load on first use, so that ``import turnkeyml`` costs nothing.
"""

__version__ = "0.1.0"

__all__ = [
    "Evaluation",
    "InputResult",
    "InvocationResult",
    "MeasuredPerformance",
    "Sequence",
    "Stage",
    "TurnkeyError",
    "UsageError",
    "benchmark_files",
    "benchmark_model",
    "build_model",
    "load_state",
    "race_files",
]

_HOMES = {
    "benchmark_files": "api",
    "benchmark_model": "api",
    "build_model": "api",
    "load_state": "cache.state",
    "race_files": "api",
    "Evaluation": "nouns",
    "InputResult": "nouns",
    "InvocationResult": "nouns",
    "MeasuredPerformance": "nouns",
    "Sequence": "build.stage",
    "Stage": "build.stage",
    "TurnkeyError": "errors",
    "UsageError": "errors",
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
