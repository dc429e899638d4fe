"""Quantities in the words of findings."""

from __future__ import annotations

from collections.abc import Iterable

_SHORT = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}


def milliseconds(ms: float) -> str:
    """A time with three digits."""
    if ms < 1e-6:
        return "0 ms"
    if ms < 0.1:
        return f"{ms * 1e3:.3g} µs"
    return f"{ms:.3g} ms" if ms < 1_000 else f"{ms / 1e3:.3g} s"


def size(bytes: float) -> str:
    """A number of bytes with three digits."""
    for unit, power in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes >= power:
            return f"{bytes / power:.3g} {unit}"
    return f"{bytes:.0f} bytes"


def gigaflops(flops: float) -> str:
    """A number of operations."""
    return f"{flops / 1e9:.3g} GFLOP" if flops >= 1e8 else f"{flops / 1e6:.3g} MFLOP"


def counted(number: int, noun: str) -> str:
    """``1 node``, ``4 nodes``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def kinds_in_words(dtypes: Iterable[str]) -> list[str]:
    """The precisions of some dtypes, each once."""
    return list(dict.fromkeys(_SHORT.get(dtype, dtype) for dtype in dtypes))
