"""OpenVINO on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnkeyml.runtimes.contract import Argument, Need, Request, Runtime, Session

FILE = "file"
AUTO = "auto"
PRECISIONS = {"fp32": "f32", "fp16": "f16", "bf16": "bf16"}
"""The precisions of a build that OpenVINO can compute in, by our names."""


def _precision(text: str) -> str:
    """The name of a precision as OpenVINO spells it, from either spelling."""
    known = {FILE: FILE, **PRECISIONS, **{theirs: theirs for theirs in PRECISIONS.values()}}
    try:
        return known[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def _switch(text: str) -> str:
    if text.lower() not in (AUTO, "on", "off"):
        raise ValueError(text)
    return text.lower()


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
        Argument(
            "cpu_pinning",
            "whether threads stay on their processors: auto (OpenVINO decides), on or off",
            _switch,
            AUTO,
            candidates=(AUTO, "off"),
        ),
    )
    computes = {"bf16": {"inference_precision": "bf16"}, "fp16": {"inference_precision": "f16"}}
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

        of_file, asked, pinning = _asked(request)
        return OpenVinoSession(
            request.model,
            request.threads,
            of_file,
            asked,
            instances=request.instances,
            pinning=pinning,
        )

    def program(self, request: Request) -> str:
        from turnkeyml.runtimes.openvino_program import source

        return source(request.threads, *_asked(request))


def _asked(request: Request) -> tuple[str, str | None, bool | None]:
    """The precision of the file, the one to compute in and whether to pin threads, None where
    OpenVINO decides."""
    wanted = request.arguments.get("inference_precision") or FILE
    pinning = request.arguments.get("cpu_pinning") or AUTO
    return (
        PRECISIONS.get(request.precision, "f32"),
        None if wanted == FILE else wanted,
        None if pinning == AUTO else pinning == "on",
    )
