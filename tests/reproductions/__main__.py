"""Runs reproductions and prints, as JSON, what became of each."""

from __future__ import annotations

import json
import sys

from tests.reproductions import elsewhere, exporters, float16, keras, onnx_runtime, symbolics
from tests.reproductions.support import REPRODUCTIONS

MODULES = (symbolics, exporters, onnx_runtime, float16, keras, elsewhere)


def outcome(name: str) -> str:
    """``broken``, ``fixed``, ``not installed``, or the error of one that no longer fits."""
    try:
        return "broken" if REPRODUCTIONS[name]() else "fixed"
    except ModuleNotFoundError:
        return "not installed"
    except Exception as error:  # noqa: BLE001 - reported
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    print(json.dumps({name: outcome(name) for name in sys.argv[1:] or REPRODUCTIONS}))
