"""What reproductions share: small models, exported and run without our code."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
FLOAT, HALF, INT64, BOOL = (
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.INT64,
    TensorProto.BOOL,
)
make_node = helper.make_node

REPRODUCTIONS: dict[str, Callable[[], bool]] = {}
"""By the id of the workaround: whether upstream still has the bug or the gap."""


def reproduction(function: Callable[[], bool]) -> Callable[[], bool]:
    """Enter a function that is named after a workaround and returns whether upstream is broken.

    An exception out of it says nothing about the bug: then the reproduction itself no longer fits.
    """
    REPRODUCTIONS[function.__name__] = function
    return function


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Within the block, exporters neither print (from Python or C++), warn nor log."""
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.ExitStack() as stack:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, nowhere)
        for number in (1, 2):
            before = os.dup(number)
            stack.callback(os.close, before)
            stack.callback(os.dup2, before, number)
            os.dup2(nowhere, number)
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.CRITICAL)
        yield


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def export(
    model: torch.nn.Module, args: tuple[Any, ...], path: Path, dynamo: bool, opset: int = OPSET
) -> None:
    more = {"external_data": False, "verbose": False} if dynamo else {}
    with silence(), torch.no_grad():
        torch.onnx.export(model, args, str(path), opset_version=opset, dynamo=dynamo, **more)


def open_session(
    model: onnx.ModelProto | Path,
    level: str = "ORT_ENABLE_ALL",
    save_as: Path | None = None,
    data: str | None = None,
    disabled: list[str] | None = None,
) -> onnxruntime.InferenceSession:
    """A CPU session; ``save_as`` and ``data``: where the optimised model and its weights go."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    if save_as:
        options.optimized_model_filepath = str(save_as)
    if data:
        entry = "session.optimized_model_external_initializers_file_name"
        options.add_session_config_entry(entry, data)
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(
        source, options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )


def loads(model: onnx.ModelProto | Path) -> bool:
    try:
        open_session(model)
    except Exception:  # noqa: BLE001 - any failure is the bug
        return False
    return True


def random_tensor(*shape: int) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(0))


def random_array(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape, np.float32)


def value_info(name: str, kind: int, shape: Any) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def make_model(
    nodes: list[onnx.NodeProto],
    inputs: list[tuple[str, int, Any]],
    outputs: list[tuple[str, int, Any]],
    weights: dict[str, np.ndarray] | None = None,
    opset: int = OPSET,
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "graph",
        [value_info(*i) for i in inputs],
        [value_info(*o) for o in outputs],
        [numpy_helper.from_array(a, n) for n, a in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
