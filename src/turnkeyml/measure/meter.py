"""Time a session: its warm-up, slices of timed runs, and the samples that they make.

When to stop is decided by the sampler. A runtime that measures by itself has a meter as well, whose
numbers are recorded as they are and never trusted.
"""

from __future__ import annotations

import gc
import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from turnkeyml.errors import MeasureError
from turnkeyml.measure.after_timing import is_of_plugin, most_untimed
from turnkeyml.measure.fresh_inputs import FreshInputs
from turnkeyml.measure.interference import Look, bring_together, may_move
from turnkeyml.measure.stopping import Rule, is_moving, is_steady
from turnkeyml.nouns import Cause, StopReason, Verdict, Verification
from turnkeyml.runtimes import SelfReporting
from turnkeyml.system import Activity, OwnLoad, has_running_threads, read_activity

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session


TIMER_SHARE = 0.001
"""What reading the clock may cost of what is timed."""

CALIBRATIONS = 2000

REST_SECONDS = 0.002
REST_LOOKS = 250
"""How often, and how many times at most, we look whether threads still spin."""

LOOK_SECONDS = 1.0
LOOK_OFTEN_SECONDS = 0.25
"""How often we look how far apart the processors are, and if we bring them together: it takes some
milliseconds."""

FIRST_RUNS = 3
"""Of a plugin, to see which of its methods wait."""
MILLISECOND = 1e6
"""In nanoseconds."""
MOST_RECOVERY = 1_000_000_000
MOST_SLICE = 2_000_000_000
"""Nanoseconds that some runs may take together with what is done between them. A turn is planned by
the median run of the warm-up, which says little where most runs skip the work."""

NOT_SEEN = Verification(
    Verdict.NOT_CHECKED,
    Cause.NO_OUTPUT,
    "the runtime measures by itself, and turnkey does not see its outputs",
)

Clock = Callable[[], int]


@dataclass(frozen=True)
class WarmUp:
    """The runs before the timed ones, in nanoseconds, and what was learned from them."""

    times: np.ndarray
    steady: bool
    block: int
    """How many runs make one sample, so that reading the clock costs next to nothing."""
    timer: float
    """Nanoseconds that reading the clock takes."""
    empty_call: float
    """Nanoseconds that a call of nothing takes in the same loop."""
    activity: Activity = field(default_factory=lambda: Activity(0.0))

    @property
    def typical(self) -> float:
        """Nanoseconds of one run, from the later half."""
        return float(np.median(self.times[len(self.times) // 2 :]))


@dataclass(frozen=True)
class Slice:
    """Some samples that were taken without a break."""

    times: np.ndarray
    """Nanoseconds of each sample: of one run, or of a block of them."""
    wall: int
    """Nanoseconds from the first run to the last."""
    activity: Activity = field(default_factory=lambda: Activity(0.0))
    distance: float | None = None
    """How far apart the processors were, when we last looked; see ``Distance``."""
    waited: float = 0.0
    """Seconds that we spent before it to bring the processors together."""


@dataclass(frozen=True)
class Samples:
    """What was timed in one process, in nanoseconds; nothing is left out."""

    timed: np.ndarray
    """The samples in the order in which they were taken, each of ``block`` runs."""
    block: int
    slices: tuple[int, ...]
    """How many of them were taken in each round."""
    walls: tuple[int, ...]
    """Nanoseconds from the first to the last run of each round."""
    warmup: np.ndarray
    steady: bool
    stopped: StopReason
    timer: float
    empty_call: float
    activities: tuple[Activity, ...] = ()
    """What else went on; from the warm-up on if the timed runs were short."""
    set_aside: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Samples of moments in which others had the machine; they do not count."""
    paused_seconds: float = 0.0
    """Spent on waiting for such moments to pass."""
    distances: tuple[float | None, ...] = ()
    """How far apart the processors were in each round; see ``Distance``."""
    memory_speeds: tuple[float, ...] = ()
    """Gigabytes that were copied in a second before the runs and after them."""

    own_load: OwnLoad | None = None
    """What the script's own leftovers did meanwhile, if it left any."""

    @property
    def latencies(self) -> np.ndarray:
        """Nanoseconds of one run, a sample each."""
        return self.timed / self.block

    @property
    def runs(self) -> int:
        return len(self.timed) * self.block

    @property
    def seconds(self) -> float:
        """Wall time of the timed runs."""
        return sum(self.walls) / 1e9

    def rounds(self) -> list[np.ndarray]:
        """The latencies of each round."""
        return np.split(self.latencies, np.cumsum(self.slices)[:-1])


class Meter(Protocol):
    """What the sampler asks for runs, wherever they happen."""

    def warm_up(self, rule: Rule) -> WarmUp: ...

    def take(self, samples: int, block: int, recovery: int = 0) -> Slice: ...

    def rest(self) -> None:
        """Use no processor from here to the next turn."""


class SessionMeter:
    """Times a session of this process."""

    def __init__(
        self,
        session: Session,
        clock: Clock = time.perf_counter_ns,
        look: Look | None = None,
    ) -> None:
        self._session = session
        self._clock = clock
        self._look = look
        self._looked_at = -LOOK_SECONDS
        self._distance: float | None = None
        self._placement_seconds = 0.0
        """That may still be spent to bring the processors together."""
        self.make_fresh: Callable[[], FreshInputs] | None = None
        """Makes the inputs that change from run to run; without it they stay the same."""
        self.fresh: FreshInputs | None = None
        self.state: dict[str, str] = {}
        """What a live model held after the warm-up; see ``Session``."""
        self._late: tuple[str, ...] = ()
        """Methods of a plugin that wait for an inference which ``run`` has only begun."""
        self._use([session])

    def _use(self, sessions: Sequence[Session]) -> None:
        """Run these sessions in turns."""
        self._sessions = sessions
        self._calls = [_whole(s, self._late) for s in sessions]
        """Each is one inference, done when it returns."""
        self._number = 0
        """Of the session that runs, or ran last."""

    def warm_up(self, rule: Rule) -> WarmUp:
        """Run until it has run often enough, long enough and no faster than before; or too long."""
        gc.collect()
        if rule.placement_seconds > 0 and may_move():
            self._placement_seconds = rule.placement_seconds
            self._look_around()
        self._late = self._late_methods()
        self._renew()
        with _without_collector():
            timer, empty_call = self._calibrate()
            before = read_activity()
            times, steady = self._run_until_steady(rule)
            if self._turns_out_to_change_inputs():
                times, steady = self._run_until_steady(rule)
            after = read_activity()
        if hasattr(self._session, "state"):
            self.state = self._session.state()
        typical = max(1.0, float(np.median(times[len(times) // 2 :])))
        block = 1
        if rule.iterations is None and not self._session.changes_inputs:
            block = max(1, math.ceil(timer / (TIMER_SHARE * typical)))
        return WarmUp(times, steady, block, timer, empty_call, before.until(after))

    def _renew(self) -> None:
        """Make the sessions that the runs take turns on, if there are to be any."""
        if self.make_fresh is not None:
            self.fresh = self.make_fresh()
            self._use(self.fresh.sessions)

    def _late_methods(self) -> tuple[str, ...]:
        """The methods of a plugin that wait although nothing says that ``run`` returns early. They
        are timed with it: otherwise runs would pile up, for minutes. A flag will say so."""
        if self.make_fresh is None or not is_of_plugin(self._session):
            return ()
        times: dict[str, list[int]] = {"run": [], "synchronize": [], "outputs": [], "copying": []}
        for _ in range(FIRST_RUNS):
            self._session.prepare()
            outputs: Mapping[str, np.ndarray] = {}
            for name, each in times.items():
                begin = self._clock()
                if name == "copying":
                    _ = [np.array(array) for array in outputs.values()]
                else:
                    outputs = getattr(self._session, name)()
                each.append(self._clock() - begin)
        taken = {name: min(each) / MILLISECOND for name, each in times.items()}
        most = most_untimed(taken["run"], 2 * taken["copying"])
        return tuple(name for name in ("synchronize", "outputs") if taken[name] > most)

    def _turns_out_to_change_inputs(self) -> bool:
        """Whether runs have changed their inputs, which the first run did not; from now on they get
        copies of them."""
        if self.fresh is None or self._session.changes_inputs or self.fresh.are_intact():
            return False
        if not hasattr(self._session, "constants"):  # only a live model has arguments to copy
            return False
        self._session.changes_inputs = True
        self._renew()
        return True

    def take(self, samples: int, block: int, recovery: int = 0) -> Slice:
        """Time so many samples of ``block`` runs each, after some runs that do not count.

        They are fewer where they, and what is done between them, take longer than ``MOST_SLICE``.
        """
        times = np.zeros(samples, dtype=np.int64)
        waited = self._look_around()
        if self.fresh is not None:
            self.fresh.begin_slice()
        with _without_collector():
            # Before the recovery: looking at the counters takes long enough to cool a cache.
            before = read_activity()
            self._recover(recovery)
            if self.fresh is None and not self._session.changes_inputs:
                wall = _time(self._calls[0], times, block, self._clock)
            else:
                count = self._time_fresh(times, block)
                times = times[:count]
                wall = int(times.sum())
            after = read_activity()
        return Slice(times, wall, before.until(after), self._distance, waited)

    def _recover(self, runs: int) -> None:
        """Run so often, or for as long as is sensible if the runs are slower than they were."""
        begin = self._clock()
        for _ in repeat(None, runs):
            self._next()()
            if self._clock() - begin > MOST_RECOVERY:
                return

    def _next(self) -> Callable[[], None]:
        """The next run, with inputs that no run before it had."""
        self._number = 0 if self.fresh is None else self.fresh.change_next()
        session = self._sessions[self._number]
        session.prepare()
        return self._calls[self._number]

    def _time_fresh(self, times: np.ndarray, block: int) -> int:
        """Fill an array with the times of as many blocks, each with other inputs, which get there
        outside of the timed sections; how many blocks there was time for."""
        clock, calls = self._clock, self._calls
        kept = -1 if self.fresh is None else self.fresh.chosen(len(times))
        begin = clock()
        for i in range(len(times)):
            run = self._next()
            if block == 1:
                start = clock()
                run()
                end = clock()
            else:
                first = self._number
                runs = itertools.islice(itertools.cycle(calls[first:] + calls[:first]), block)
                self._number = (first + block - 1) % len(calls)
                start = clock()
                for run in runs:
                    run()
                end = clock()
            times[i] = end - start
            if i == kept:
                self._keep()
            if end - begin > MOST_SLICE:
                return i + 1
        return len(times)

    def _keep(self) -> None:
        """Keep what the last run computed; the run after it does not count, as it warms the caches
        again."""
        assert self.fresh is not None
        self.fresh.keep(self._number)
        self._next()()

    def _look_around(self) -> float:
        """See how far apart the processors are, now and then, and bring them together if we may;
        the seconds that it took. Threads that spin would be in the way."""
        often = LOOK_OFTEN_SECONDS if self._placement_seconds > 0 else LOOK_SECONDS
        if self._look is None or time.monotonic() - self._looked_at < often:
            return 0.0
        self.rest()
        self._distance, waited = bring_together(self._look, self._placement_seconds)
        self._placement_seconds = max(0.0, self._placement_seconds - waited)
        self._looked_at = time.monotonic()
        return waited

    def rest(self) -> None:
        """Wait until the threads of this process sleep: after a run they spin for a while."""
        for _ in repeat(None, REST_LOOKS):
            if not has_running_threads():
                return
            time.sleep(REST_SECONDS)

    def _run_until_steady(self, rule: Rule) -> tuple[np.ndarray, bool]:
        next_run, clock = self._next, self._clock
        times: list[int] = []
        looked_at = 0
        begin = clock()
        while True:
            run = next_run()
            start = clock()
            run()
            now = clock()
            times.append(now - start)
            elapsed = (now - begin) / 1e9
            if elapsed >= rule.warmup_cap_seconds or len(times) >= rule.warmup_most_runs:
                return np.array(times), is_steady(np.array(times))
            if elapsed < rule.warmup_seconds or len(times) < max(rule.warmup_runs, looked_at):
                continue
            if is_steady(np.array(times)):
                return np.array(times), True
            if elapsed >= rule.warmup_restless_seconds and not is_moving(np.array(times)):
                return np.array(times), False
            looked_at = math.ceil(1.2 * len(times))

    def _calibrate(self) -> tuple[float, float]:
        """What reading the clock costs, and what a call of nothing costs in the same loop."""
        single, nothing = np.zeros(CALIBRATIONS, dtype=np.int64), _Nothing().run
        clock = self._clock
        for i in range(CALIBRATIONS):
            start = clock()
            single[i] = clock() - start
        blocks = np.zeros(CALIBRATIONS // 100, dtype=np.int64)
        _time(nothing, blocks, 100, clock)
        return float(np.median(single)), float(np.median(blocks)) / 100


def _whole(session: Session, late: tuple[str, ...]) -> Callable[[], None]:
    """One inference of a session, done when it returns; ``late`` are more methods that wait."""
    names = ["run", *(["synchronize"] if session.asynchronous or late else [])]
    names += [name for name in late if name not in names]
    if len(names) == 1:
        return session.run
    methods = [getattr(session, name) for name in names]

    def call() -> None:
        for method in methods:
            method()

    return call


class _Nothing:
    """A session that does nothing, for what doing nothing costs."""

    def run(self) -> None:
        return None


def _time(run: Callable[[], None], times: np.ndarray, block: int, clock: Clock) -> int:
    """Fill an array with the times of as many blocks; the time from the first run to the last.

    What we keep is written between the samples, where it counts as wall time: through memory
    views, as that is the fastest way into an array.
    """
    begun = np.zeros_like(times)
    starts, ends = begun.data, times.data
    if block == 1:
        for i in range(len(times)):
            start = clock()
            run()
            end = clock()
            starts[i], ends[i] = start, end
    else:
        for i in range(len(times)):
            start = clock()
            for _ in repeat(None, block):
                run()
            end = clock()
            starts[i], ends[i] = start, end
    wall = int(times[-1] - begun[0])
    times -= begun
    return wall


@contextmanager
def _without_collector() -> Iterator[None]:
    """Python's garbage collector waits while we time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class ReportedMeter:
    """A meter whose runs only the runtime can time, so that it cannot take turns with others."""

    def __init__(self, session: SelfReporting) -> None:
        self._session = session

    def sample(self, rule: Rule, *callbacks: Callable[[Any], None] | None) -> Samples:
        """What the runtime reports, as one sample of all its runs."""
        found = self._session.measure(rule.iterations or rule.least_runs)
        return Samples(
            timed=np.array([round(found.mean_latency * 1e6 * found.iterations)]),
            block=found.iterations,
            slices=(1,),
            walls=(round(1e9 * found.iterations / found.throughput),),
            warmup=np.zeros(0, dtype=np.int64),
            steady=True,
            stopped=StopReason.SELF_REPORTED,
            timer=0.0,
            empty_call=0.0,
        )

    def warm_up(self, rule: Rule) -> WarmUp:
        raise MeasureError("A runtime that measures by itself cannot take turns with others.")

    def take(self, samples: int, block: int, recovery: int = 0) -> Slice:
        raise MeasureError("A runtime that measures by itself cannot take turns with others.")

    def rest(self) -> None:
        """Does nothing: it runs only while it measures."""
