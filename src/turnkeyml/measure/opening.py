"""Opening a session for measuring, and knowing what that cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from turnkeyml.measure.meter import SessionMeter
from turnkeyml.measure.record import Costs
from turnkeyml.runtimes.registry import Runtime
from turnkeyml.system import machine

if TYPE_CHECKING:
    from turnkeyml.runtimes.session import Session

__all__ = ["Opened", "open_session"]


@dataclass(frozen=True)
class Opened:
    """A session of this process that has run once."""

    meter: SessionMeter
    outputs: dict[str, np.ndarray]
    _costs: Costs

    def costs(self) -> Costs:
        """What it has cost by now; the peak of the memory is that since it was loaded."""
        return replace(self._costs, peak_memory_bytes=machine.peak_memory_bytes())


def open_session(make: Callable[[], Session], runtime: Runtime) -> Opened:
    """Load a model and run it once."""
    machine.reset_peak_memory()
    before, load = machine.memory_bytes(), machine.load_average()
    begin = time.perf_counter()
    session = make()
    seconds = time.perf_counter() - begin
    peak = machine.peak_memory_bytes()
    machine.reset_peak_memory()
    outputs = session.outputs()
    module = runtime.load()
    version = str(module.version())
    costs = Costs(
        load_seconds=seconds,
        memory_before_bytes=before,
        load_peak_memory_bytes=peak,
        runtime_version=version,
        load_average=load,
        libraries={module.LIBRARY: version, "numpy": np.__version__},
        settings=session.settings,
    )
    return Opened(SessionMeter(session), outputs, costs)
