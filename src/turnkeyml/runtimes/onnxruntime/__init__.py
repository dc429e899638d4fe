"""ONNX Runtime: on CPUs with its execution providers, on NVIDIA GPUs with that for CUDA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes import x86
from turnkeyml.runtimes.contract import Argument, Need, Request, Runtime, Session, boolean, divided
from turnkeyml.runtimes.nvidia.nvml import gpu_index
from turnkeyml.runtimes.nvidia.runtime import GpuRuntime, instances_of


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
    device = x86.DEVICE.name
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
        from turnkeyml.runtimes.onnxruntime.settings import full_names

        full_names(arguments["providers"])

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.onnxruntime.session import OrtSession
        from turnkeyml.runtimes.onnxruntime.settings import OrtSettings, full_names

        instances, threads = None, request.threads
        if request.instances is not None:
            instances, threads = divided(request)
        providers = tuple(full_names(request.arguments.get("providers") or ("cpu",)))
        settings = OrtSettings(threads, providers=providers, **_settings(request.arguments))
        return OrtSession(request.model, settings, instances)

    def program(self, request: Request) -> str:
        return _program_source(request, **_settings(request.arguments))


class OrtGpu(GpuRuntime):
    """Measures an ONNX file with the CUDA execution provider of ONNX Runtime."""

    name = "ort"
    title = "ONNX Runtime"
    default_sequence = "optimize-fp16"
    needs = (Need(module="onnxruntime", install="pip install onnxruntime-gpu"),)
    library = "onnxruntime"
    serves = True
    status_stats = ("CPU nodes",)
    arguments = (
        Argument(
            "cuda_graph",
            "true to run the model as one CUDA graph, which must have no nodes on the CPU",
            boolean,
            False,
        ),
        Argument("tf32", "true to let fp32 models round factors to TF32, or false", boolean, False),
    )

    def version(self) -> str:
        import onnxruntime

        return str(onnxruntime.__version__)

    def check(self) -> None:
        """Raise an error without a driver, a GPU, or the CUDA provider."""
        super().check()
        spec = find_spec("onnxruntime")
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent / "capi"
        if folder.is_dir() and not any(folder.glob("*onnxruntime_providers_cuda*")):
            raise MeasureError(
                "onnxruntime has no CUDA provider here; pip install onnxruntime-gpu."
            )

    def check_load(self, arguments: Mapping[str, Any], instances: int) -> None:
        """Raise a usage error for CUDA graphs, which belong to the thread that captured them."""
        if arguments.get("cuda_graph"):
            raise UsageError(
                "ONNX Runtime does not let several threads run CUDA graphs; leave out cuda_graph "
                "under load."
            )

    def open(self, request: Request) -> Session:
        from turnkeyml.runtimes.onnxruntime.gpu_session import OrtGpuSession

        arguments = request.arguments
        return OrtGpuSession(
            request.model,
            max(1, request.threads // instances_of(request)),
            gpu_index(self.device),
            cuda_graph=bool(arguments.get("cuda_graph", False)),
            tf32=bool(arguments.get("tf32", False)),
            instances=None if request.instances is None else instances_of(request),
        )


def _settings(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the arguments ask of a session; those of an older plan may be incomplete."""
    return {
        "level": arguments.get("graph_optimization", "all"),
        "parallel": arguments.get("execution_mode") == "parallel",
        "spinning": arguments.get("spinning", True),
    }


_LEVELS = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}


def _program_source(request: Request, *, level: str, parallel: bool, spinning: bool) -> str:
    """The source of ``load``, which runs a model as a session does, without turnkey."""
    from turnkeyml.runtimes.onnxruntime.session import unsound_optimizers
    from turnkeyml.runtimes.onnxruntime.settings import full_names

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
