"""Open a session for measuring; what that cost, and the machine that it runs on."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from turnkeyml import system
from turnkeyml.measure.accelerator import DeviceObservation, observe
from turnkeyml.measure.after_timing import Recheck, recheck, restart
from turnkeyml.measure.fresh_inputs import FreshInputs
from turnkeyml.measure.interference import Distance, may_move
from turnkeyml.measure.load.under_load import LoadPoint, measure_under_load
from turnkeyml.measure.meter import Meter, ReportedMeter, SessionMeter
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import LoadPlan, Verdict, Verification
from turnkeyml.runtimes import Request, Runtime, find_device
from turnkeyml.system import load_average, memory_bytes, peak_memory_bytes, reset_peak_memory
from turnkeyml.verify import Reference

if TYPE_CHECKING:
    from turnkeyml.nouns import Profile
    from turnkeyml.runtimes import SelfReporting, Session


@dataclass(frozen=True)
class MachineFacts:
    """What belongs to the conditions of a measurement; read by whoever makes one, where it is."""

    device: str = ""
    """The name of the hardware that runs the model; empty if nobody asked."""
    node: str = field(default_factory=platform.node)
    """Its name in the network."""
    platform: str = field(default_factory=platform.platform)
    cpu: str = field(default_factory=system.cpu_name)
    usable_cores: int = field(default_factory=system.usable_cores)
    processors: tuple[int, ...] = field(
        default_factory=lambda: tuple(sorted(system.allowed_processors()))
    )
    cpu_quota: float | None = field(default_factory=system.cpu_quota)
    governor: str | None = field(default_factory=system.governor)
    frequency_mhz: float | None = field(default_factory=system.frequency_mhz)
    may_move: bool = field(default_factory=may_move)
    """Whether a hypervisor may run the processors on different core complexes."""


@dataclass(frozen=True)
class SessionInfo:
    """What a session cost besides the time of its runs, and how it was set up."""

    load_seconds: float
    memory_before_bytes: int | None = None
    load_peak_memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    runtime_version: str = ""
    load_average: float | None = None
    """Before anything ran."""
    libraries: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)
    """What the session wants to be recorded besides."""
    python_version: str = field(default_factory=platform.python_version)
    python: str = field(default_factory=lambda: sys.executable)
    """The path of the interpreter."""
    threads: int = 0
    """That the session was asked to use; 0 if nobody knows."""
    site: MachineFacts = field(default_factory=MachineFacts)
    """The machine, read where the session runs."""


@dataclass
class OpenSession:
    """A session of this process that has run once, unless its runtime measures by itself."""

    session: Session | SelfReporting
    meter: Meter
    outputs: dict[str, np.ndarray]
    """What the one run computed, for whoever verifies it; see ``forget_outputs``."""
    _costs: SessionInfo
    _runtime: Runtime

    def vary(self, inputs: Mapping[str, np.ndarray], varied: tuple[int, ...]) -> None:
        """Let the inputs of the timed runs change from run to run; those that are fed now, and of
        these the ones at some positions. Before ``forget_outputs``, as their size counts."""
        if not isinstance(self.meter, SessionMeter):
            return
        session = cast("Session", self.session)
        size = sum(array.nbytes for array in (*inputs.values(), *self.outputs.values()))
        self.meter.make_fresh = lambda: FreshInputs(session, inputs, varied, size)

    def recheck(
        self,
        reference: Reference | None = None,
        precision: str = "",
        verdict: Verification | None = None,
    ) -> Recheck | None:
        """What the session does after its timed runs; None if only its runtime times it."""
        if not isinstance(self.meter, SessionMeter):
            return None
        session, before = cast("Session", self.session), self.meter.state
        precision = "tf32" if precision == "fp32" and self._rounds_to_tf32 else precision
        return recheck(
            session, self.meter.fresh, reference, precision, before=before, verdict=verdict
        )

    def costs(self) -> SessionInfo:
        """What it has cost by now; the peak of the memory is that of its runs."""
        return replace(
            self._costs,
            peak_memory_bytes=peak_memory_bytes(),
            runtime_version=self._runtime.version(),
            stats=_stats(self.session),
            site=MachineFacts(self._costs.site.device),  # the clock rate is that of now
        )

    def run_on(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What the session computes on other inputs; the recorded ones must be fed again."""
        session = cast("Session", self.session)
        session.feed(inputs)
        restart(session)
        return _run_once(session)

    def verified(self, judge: Callable[[str], Verification], precision: str) -> Verification:
        """The verdict in a precision; in TF32 if the runtime may round factors of fp32 to that,
        and only then matches. The timed runs begin with the buffers that the original has."""
        found = judge(precision)
        restart(self.session)
        if precision != "fp32" or found.verdict is Verdict.MATCH or not self._rounds_to_tf32:
            return found
        rounded = judge("tf32")
        return rounded if rounded.verdict.rank < found.verdict.rank else found

    @property
    def _rounds_to_tf32(self) -> bool:
        return bool(self._costs.settings.get("tf32"))

    def under_load(
        self, plan: LoadPlan, rule: Rule, precision: str, tell: Callable[[str], None]
    ) -> Iterator[LoadPoint]:
        """What is measured under each load of a plan; the session was opened for instances."""
        session, monitor = cast("Session", self.session), self._runtime.monitor()
        return measure_under_load(session, plan, rule, precision, tell, monitor=monitor)

    def forget_outputs(self) -> None:
        """Free what only the verification needed, so that it is not in the peak of the runs."""
        self.outputs = {}
        reset_peak_memory()

    def observe(self) -> DeviceObservation | None:
        """What the accelerator says of further runs, after the timed ones; None without one."""
        if self._runtime.reports_itself:
            return None
        return observe(cast("Session", self.session), self._runtime.monitor())

    def profile(self, seconds: float) -> Profile | None:
        """The operators with their times; None if the session has no profiler."""
        profile = getattr(self.session, "profile", None)
        return None if profile is None else cast("Profile", profile(seconds))

    def close(self) -> None:
        self.session.close()


def open_session(
    runtime: Runtime, request: Request, inputs: Mapping[str, np.ndarray]
) -> OpenSession:
    """Load a model, feed it and run it once; a runtime that measures by itself does not run."""
    reset_peak_memory()
    before, load = memory_bytes(), load_average()
    begin = time.perf_counter()
    session = runtime.open(request)
    try:
        session.feed(inputs)
        seconds = time.perf_counter() - begin
        peak = peak_memory_bytes()
        reset_peak_memory()
        outputs = {} if runtime.reports_itself else _run_once(cast("Session", session))
    except BaseException:
        if request.live is not None:  # it goes on without us; a worker ends
            session.close()
        raise
    version = runtime.version()
    costs = SessionInfo(
        load_seconds=seconds,
        memory_before_bytes=before,
        load_peak_memory_bytes=peak,
        runtime_version=version,
        load_average=load,
        libraries={**_library(runtime, version), "numpy": np.__version__},
        settings=session.settings(),
        threads=request.threads,
        site=MachineFacts(find_device(runtime.device).describe()),
    )
    return OpenSession(session, _meter(runtime, session, request), outputs, costs, runtime)


def _meter(runtime: Runtime, session: Session | SelfReporting, request: Request) -> Meter:
    if runtime.reports_itself:
        return ReportedMeter(cast("SelfReporting", session))
    session = cast("Session", session)
    # The threads of a model on an accelerator pass no data to each other.
    matters = request.threads != 1 and not session.asynchronous
    return SessionMeter(session, look=Distance().look if matters else None)


def _library(runtime: Runtime, version: str) -> dict[str, str]:
    return {runtime.library: version} if runtime.library else {}


def _stats(session: Any) -> dict[str, Any]:
    """What a session wants to be recorded besides; most have nothing."""
    found = session.stats() if hasattr(session, "stats") else {}
    return {str(name): _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    """A value that a file can hold: a number, a text or a boolean."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _run_once(session: Session) -> dict[str, np.ndarray]:
    session.prepare()
    session.run()
    session.synchronize()
    # Copies: a session may return memory of its own, which the next run changes.
    return {name: np.array(array) for name, array in session.outputs().items()}
