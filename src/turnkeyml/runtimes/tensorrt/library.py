"""The Python API of TensorRT, with a logger that keeps its errors."""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from turnkeyml.errors import MeasureError

MODULES = ("tensorrt", "tensorrt_bindings")
"""The names under which wheels and packed environments have the Python API."""
OLDEST = (8, 5, 2)
INSTALL = "pip install tensorrt"


@functools.cache
def load_tensorrt() -> Any:
    """The Python API of TensorRT; an error in words if it is absent, broken or too old."""
    name = next((name for name in MODULES if find_spec(name) is not None), None)
    if name is None:
        raise MeasureError(f"TensorRT is not installed; {INSTALL}.")
    try:
        found = import_module(name)
    except (ImportError, OSError) as error:
        raise MeasureError(
            f"TensorRT cannot be imported ({error}); {INSTALL}, or put the folder of its "
            "libraries in LD_LIBRARY_PATH."
        ) from None
    if version_of(found) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise MeasureError(
            f"TensorRT {found.__version__} is too old; install {oldest} or newer ({INSTALL})."
        )
    return found


def version_of(tensorrt: Any) -> tuple[int, ...]:
    """The version of a TensorRT module as numbers: (8, 6, 1)."""
    parts = str(tensorrt.__version__).split(".")[:3]
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


@functools.cache
def logger() -> Any:
    """The logger of this process: warnings go to the log of the measurement, errors are kept.

    TensorRT keeps the first one that it gets for as long as the process lives.
    """
    tensorrt = load_tensorrt()
    kind: Any = tensorrt.ILogger

    class Log(kind):  # type: ignore[misc]
        def __init__(self) -> None:
            kind.__init__(self)
            self.errors: list[str] = []

        def log(self, severity: Any, message: str) -> None:
            if severity.name in ("INTERNAL_ERROR", "ERROR"):
                self.errors.append(str(message))
            if severity.name in ("INTERNAL_ERROR", "ERROR", "WARNING"):
                sys.stderr.write(f"TensorRT: {message}\n")

    made = Log()
    tensorrt.init_libnvinfer_plugins(made, "")
    return made


def last_error() -> str:
    """What TensorRT complained of last."""
    errors = logger().errors
    return " ".join(errors[-1].split())[:300] if errors else "it did not say why"
