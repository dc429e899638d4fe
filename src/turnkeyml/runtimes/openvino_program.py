"""A program that runs a model with OpenVINO as ``OpenVinoSession`` does, without turnkey."""

from __future__ import annotations

from turnkeyml.runtimes.openvino_session import CPU, computed_in, properties


def source(threads: int, of_file: str, asked: str | None, pinning: bool | None) -> str:
    """The source of ``load``."""
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
