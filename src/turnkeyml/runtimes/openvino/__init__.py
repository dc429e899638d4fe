"""OpenVINO on CPUs, compiled for latency in one stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnkeyml.runtimes import x86
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
    device = x86.DEVICE.name
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
            from turnkeyml.runtimes.openvino.session import require_precision

            require_precision(arguments["inference_precision"])

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.openvino.session import OpenVinoSession

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
        return _program_source(request.threads, *_asked(request))


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


def _program_source(threads: int, of_file: str, asked: str | None, pinning: bool | None) -> str:
    """The source of ``load``, which runs a model as a session does, without turnkey."""
    from turnkeyml.runtimes.openvino.session import CPU, computed_in, properties

    wanted = properties(threads, computed_in(of_file, asked), pinning)
    lines = [
        "import openvino",
        "",
        "",
        "def load(path):",
        '    """A function from inputs by name to outputs by name."""',
        "    properties = {",
        *(f'        "{name}": {_literal(value)},' for name, value in wanted.items()),
        "    }",
        f'    model = openvino.Core().compile_model(path, "{CPU}", properties)',
        "    request = model.create_infer_request()",
        "    names = [port.get_any_name() for port in model.outputs]",
        "",
        "    def run(inputs):",
        "        found = request.infer(inputs, share_inputs=True)  # the outputs are copies",
        "        return dict(zip(names, found.values()))",
        "",
        "    return run",
    ]
    return "\n".join(lines)


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
