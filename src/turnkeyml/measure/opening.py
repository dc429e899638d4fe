"""Opening a session for measuring, and knowing what that cost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from turnkeyml.measure.distance import Distance
from turnkeyml.measure.meter import SessionMeter
from turnkeyml.measure.record import Costs
from turnkeyml.runtimes.contract import Request, Runtime
from turnkeyml.system import machine

if TYPE_CHECKING:
    from turnkeyml.runtimes.contract import Session

__all__ = ["Opened", "open_session"]


@dataclass
class Opened:
    """A session of this process that has run once."""

    session: Session
    meter: SessionMeter
    outputs: dict[str, np.ndarray]
    """What the one run computed, for whoever verifies it; see ``forget_outputs``."""
    _costs: Costs

    def costs(self) -> Costs:
        """What it has cost by now; the peak of the memory is that of its runs."""
        return replace(self._costs, peak_memory_bytes=machine.peak_memory_bytes())

    def run_on(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the session computes on other inputs; the recorded ones must be fed again."""
        self.session.feed(inputs)
        return _run_once(self.session)

    def forget_outputs(self) -> None:
        """Free what only the verification needed, so that it is not in the peak of the runs."""
        self.outputs = {}
        machine.reset_peak_memory()

    def close(self) -> None:
        self.session.close()


def open_session(runtime: Runtime, request: Request, inputs: Mapping[str, np.ndarray]) -> Opened:
    """Load a model, feed it and run it once."""
    machine.reset_peak_memory()
    before, load = machine.memory_bytes(), machine.load_average()
    begin = time.perf_counter()
    session = runtime.open(request)
    session.feed(inputs)
    seconds = time.perf_counter() - begin
    peak = machine.peak_memory_bytes()
    machine.reset_peak_memory()
    outputs = _run_once(session)
    version = runtime.version()
    costs = Costs(
        load_seconds=seconds,
        memory_before_bytes=before,
        load_peak_memory_bytes=peak,
        runtime_version=version,
        load_average=load,
        libraries={runtime.library: version, "numpy": np.__version__},
        settings=session.settings(),
    )
    look = Distance().look if request.threads != 1 else None
    return Opened(session, SessionMeter(session, look=look), outputs, costs)


def _run_once(session: Session) -> dict[str, np.ndarray]:
    session.prepare()
    session.run()
    session.synchronize()
    return session.outputs()
