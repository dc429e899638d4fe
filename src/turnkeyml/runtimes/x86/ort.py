"""ONNX Runtime on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnkeyml.runtimes.contract import Argument, Need, Request, Runtime, Session, divided

__all__ = ["Ort"]


def _names(text: str) -> list[str]:
    """The names in a text, separated by commas or semicolons."""
    names = [name.strip() for name in text.replace(";", ",").split(",") if name.strip()]
    if not names:
        raise ValueError("no names")
    return names


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

        providers = full_names(request.arguments.get("providers") or ("cpu",))
        if request.instances is None:
            return OrtSession(request.model, request.threads, providers=providers)
        instances, threads = divided(request)
        return OrtSession(request.model, threads, providers=providers, instances=instances)
