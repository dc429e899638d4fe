"""The tactic sources of TensorRT: libraries whose kernels it may choose from."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from turnkeyml.errors import MeasureError
from turnkeyml.runtimes.nvidia import cuda

EXTERNAL = ("CUBLAS", "CUBLAS_LT", "CUDNN")
"""The tactic sources that are libraries of their own."""


def tactic_bits(tensorrt: Any, names: str) -> int:
    """The tactic sources of a text as bits: ``none``, or names such as ``CUBLAS,CUDNN``."""
    if names.lower() in ("none", "0"):
        return 0
    known = tensorrt.TacticSource.__members__
    bits = 0
    for name in (part.strip().upper() for part in names.split(",")):
        if name not in known:
            raise MeasureError(
                f"TensorRT has no tactic source {name!r}; choose from: none, {', '.join(known)}."
            )
        bits |= 1 << int(known[name])
    return bits


def usable_sources(tensorrt: Any, default: int) -> int:
    """The default tactic sources without libraries that are absent or only stand-ins."""
    known = tensorrt.TacticSource.__members__
    external = [known[n] for n in EXTERNAL if n in known and default >> int(known[n]) & 1]
    if not external or _are_real(("libcudnn.so", "cudnnGetVersion"), ("libcublas.so", "")):
        return default
    return default & ~sum(1 << int(source) for source in external)


def _are_real(*libraries: Sequence[str]) -> bool:
    """Whether each of some libraries can be loaded, and has a version if it has a function."""
    for name, function in libraries:
        path = cuda.library_path(name)
        if path is None:
            return False
        try:
            found = ctypes.CDLL(path)
            if function and getattr(found, function)() < 1000:
                return False
        except (OSError, AttributeError):
            return False
    return True
