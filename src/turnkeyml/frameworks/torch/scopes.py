"""The local variables of running functions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any


def variables(frame: FrameType) -> Mapping[str, Any]:
    """The local variables of a frame, without leaving behind a copy that keeps them alive."""
    values = frame.f_locals
    optimized = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    if not optimized or sys.version_info >= (3, 13) or sys.getrefcount(values) > 3:
        return values
    taken = dict(values)
    values.clear()
    return taken
