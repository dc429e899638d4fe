"""OpenVINO on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnkeyml.runtimes.contract import Argument, Need, Request, Runtime, Session

__all__ = ["OpenVino"]

FILE = "file"
PRECISIONS = {"fp32": "f32", "fp16": "f16", "bf16": "bf16"}
"""The precisions of a build that OpenVINO can compute in, by our names."""


def _precision(text: str) -> str:
    """The name of a precision as OpenVINO spells it, from either spelling."""
    known = {FILE: FILE, **PRECISIONS, **{theirs: theirs for theirs in PRECISIONS.values()}}
    try:
        return known[text.lower()]
    except KeyError:
        raise ValueError(text) from None


class OpenVino(Runtime):
    """Measures an ONNX file with the CPU plugin of OpenVINO, in one stream, for latency."""

    name = "openvino"
    title = "OpenVINO"
    default_sequence = "optimize-fp32"
    needs = (Need(module="openvino", install="pip install openvino"),)
    arguments = (
        Argument(
            "inference_precision",
            "the precision that it computes in: file (that of the file), f32, f16 or bf16",
            _precision,
            FILE,
        ),
    )
    library = "openvino"
    serves = True
    status_stats = ("computes_in",)

    def version(self) -> str:
        import openvino

        return str(openvino.__version__).partition("-")[0]

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        if arguments["inference_precision"] != FILE:
            from turnkeyml.runtimes.openvino_session import require_precision

            require_precision(arguments["inference_precision"])

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.openvino_session import OpenVinoSession

        wanted = request.arguments.get("inference_precision") or FILE
        asked = None if wanted == FILE else wanted
        of_file = PRECISIONS.get(request.precision, "f32")
        return OpenVinoSession(request.model, request.threads, of_file, asked, request.instances)
