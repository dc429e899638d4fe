"""ONNX Runtime on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from turnkeyml.runtimes.contract import (
    Argument,
    Need,
    Request,
    Runtime,
    Session,
    boolean,
    divided,
)


def _names(text: str) -> list[str]:
    """The names in a text, separated by commas or semicolons."""
    names = [name.strip() for name in text.replace(";", ",").split(",") if name.strip()]
    if not names:
        raise ValueError("no names")
    return names


def _one_of(*known: str) -> Callable[[str], str]:
    """The type of an argument that is one of some words."""

    def check(text: str) -> str:
        if text.lower() not in known:
            raise ValueError(text)
        return text.lower()

    return check


class Ort(Runtime):
    """Measures an ONNX file with ONNX Runtime, by default with its CPU execution provider."""

    name = "ort"
    title = "ONNX Runtime"
    default_sequence = "optimize-fp32"
    needs = (Need(module="onnxruntime", install="pip install onnxruntime"),)
    arguments = (
        Argument(
            "providers",
            "execution providers in order of preference, separated by commas, such as xnnpack,cpu",
            _names,
            ("cpu",),
        ),
        Argument(
            "graph_optimization",
            "the level of the optimizations when a file is loaded: all, extended, basic or none",
            _one_of("all", "extended", "basic", "none"),
            "all",
            candidates=("all", "extended"),
        ),
        Argument(
            "execution_mode",
            "sequential, or parallel to run branches of the graph at the same time",
            _one_of("sequential", "parallel"),
            "sequential",
            candidates=("sequential", "parallel"),
        ),
        Argument(
            "spinning",
            "whether threads that wait for work keep their processors busy: true or false",
            boolean,
            True,
            candidates=(True, False),
        ),
    )
    casts = ("fp16",)
    widens = ("bf16",)
    library = "onnxruntime"
    serves = True
    status_stats = ("fallback",)

    def version(self) -> str:
        import onnxruntime

        return str(onnxruntime.__version__)

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        if tuple(arguments["providers"]) == ("cpu",):
            return  # always there, and the library need not be imported to know
        from turnkeyml.runtimes.ort_providers import full_names

        full_names(arguments["providers"])

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.ort_providers import full_names
        from turnkeyml.runtimes.ort_session import OrtSession
        from turnkeyml.runtimes.ort_settings import OrtSettings

        instances, threads = None, request.threads
        if request.instances is not None:
            instances, threads = divided(request)
        providers = tuple(full_names(request.arguments.get("providers") or ("cpu",)))
        settings = OrtSettings(threads, providers=providers, **_settings(request.arguments))
        return OrtSession(request.model, settings, instances)

    def program(self, request: Request) -> str:
        from turnkeyml.runtimes.ort_program import source

        return source(request, **_settings(request.arguments))


def _settings(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the arguments ask of a session; those of an older plan may be incomplete."""
    return {
        "level": arguments.get("graph_optimization", "all"),
        "parallel": arguments.get("execution_mode") == "parallel",
        "spinning": arguments.get("spinning", True),
    }
