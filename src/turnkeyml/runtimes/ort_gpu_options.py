"""The options of ONNX Runtime sessions on a GPU, and the libraries that they need."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from pathlib import Path

import onnxruntime

from turnkeyml.runtimes.ort_providers import RECORD_PLACEMENT, TELLS_NODES

LIBRARIES = ("cudart", "nvJitLink", "nvrtc", "cublasLt", "cublas", "cufft", "curand", "cudnn")
"""What the CUDA provider needs, in the order in which they need each other."""


def session_options(threads: int, profile: str = "") -> onnxruntime.SessionOptions:
    """Those of a session with so many threads; ``profile`` is the beginning of the path of a file
    for ONNX Runtime's profiler."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if profile:
        options.enable_profiling = True
        options.profile_file_prefix = profile
        return options
    if hasattr(onnxruntime.InferenceSession, TELLS_NODES):
        options.add_session_config_entry(RECORD_PLACEMENT, "1")
        return options
    # Of one run, before anything is timed. Kernels may start more slowly ever after, as CUDA goes
    # on tracing them.
    options.enable_profiling = True
    options.profile_file_prefix = str(Path(tempfile.gettempdir()) / f"turnkey-{os.getpid()}")
    return options


def run_options(*, synchronize: bool, graph: bool = True) -> onnxruntime.RunOptions:
    """Those of a run: whether it waits for the GPU, and whether it may be a CUDA graph."""
    options = onnxruntime.RunOptions()
    if not synchronize:
        options.add_run_config_entry("disable_synchronize_execution_providers", "1")
    if not graph:
        options.add_run_config_entry("gpu_graph_id", "-1")
    return options


def load_libraries() -> None:
    """Load the libraries of pip packages, which the loader does not find by itself."""
    major = str(getattr(onnxruntime, "cuda_version", "") or "").partition(".")[0]
    folders = [folder for root in sys.path for folder in Path(root or ".").glob("nvidia/*/lib")]
    for name in LIBRARIES:
        for path in sorted(p for folder in folders for p in folder.glob(f"lib{name}*.so.*")):
            if (
                name in ("cudart", "cublas", "cublasLt")
                and major
                and f".so.{major}" not in path.name
            ):
                continue
            try:
                ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            except OSError as error:  # the log says so; ONNX Runtime may not need this one
                print(f"{path} cannot be loaded: {error}", flush=True)
