"""A program that runs a model with ONNX Runtime as ``OrtSession`` does, without turnkey."""

from __future__ import annotations

from turnkeyml.runtimes.contract import Request

_LEVELS = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}


def source(request: Request, *, level: str, parallel: bool, spinning: bool) -> str:
    """The source of ``load``."""
    from turnkeyml.runtimes.ort_providers import full_names
    from turnkeyml.runtimes.ort_session import unsound_optimizers

    providers = full_names(request.arguments.get("providers") or ("cpu",))
    lines = [
        "import onnxruntime",
        "",
        "",
        "def load(path):",
        '    """A function from inputs by name to outputs by name."""',
        "    options = onnxruntime.SessionOptions()",
        f"    options.intra_op_num_threads = {request.threads}",
        f"    options.inter_op_num_threads = {request.threads if parallel else 1}",
        f"    level = onnxruntime.GraphOptimizationLevel.{_LEVELS[level]}",
        "    options.graph_optimization_level = level",
    ]
    if parallel:
        lines.append("    options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL")
    if not spinning:
        lines += [
            f'    options.add_session_config_entry("session.{pool}.allow_spinning", "0")'
            for pool in ("intra_op", "inter_op")
        ]
    unsound = unsound_optimizers(request.model)
    lines += [
        "    session = onnxruntime.InferenceSession(",
        "        path,",
        "        options,",
        f"        providers={_list(providers)},",
        *([f"        disabled_optimizers={_list(unsound)},"] if unsound else []),
        "    )",
        "    names = [output.name for output in session.get_outputs()]",
        "    return lambda inputs: dict(zip(names, session.run(names, inputs)))",
    ]
    return "\n".join(lines)


def _list(names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"[{quoted}]"
