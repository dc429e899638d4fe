"""The check after the timing: is what was timed what was verified?

A verdict is taken before anything is timed, so that a model may pass it and then do something else:
return what it has kept, compute less, or compute later. So after the timed runs, outside of any
timed section of theirs,

* the outputs of some timed runs are compared with those of other runs on the same inputs, and those
  of a live model with what the original computes on them;
* the model runs on the recorded inputs and on inputs that nothing has run on, in turns, and what it
  computes and how long that takes is compared;
* it runs on the recorded inputs and on those of a held-out set once more, and must compute what the
  original computes;
* what the model holds, and the arguments that it was given, are compared with what they were.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from turnkeyml.measure.fresh_inputs import FreshInputs, unseen, varied_inputs
from turnkeyml.nouns import Cause, OperationCount, Verdict, Verification
from turnkeyml.system import last_cache_bytes, usable_cores
from turnkeyml.verify import Outputs, Reference, agree, compare

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session

MOST_PAIRS, FEW_PAIRS = 14, 5
"""How often runs on new and on recorded inputs are compared; of slow models less often."""
SECONDS = 0.5
"""For how long that may take where one pair does not take longer."""
MILLISECOND = 1e6
"""In nanoseconds."""
LEAST_METHOD, SHARE = 0.25, 0.5
"""Milliseconds that a method may take which is not timed, besides ``COPIES`` of the inputs and
outputs; and of a run, the share that it may take in any case."""
COPIES = 4
"""How many copies of the inputs and outputs a method may make, or changes of dtype and place that
take as long."""
MOST_FLOPS_AGAIN = 1e11
"""Of models with more, the original is not run again."""
LEAST_FLOPS = 1e5
"""Of models with fewer it says nothing how fast they are: it takes longer to call them."""
PRODUCTS, PRODUCT = 16, 64
"""Of how many matrices ``product_rate`` is, and their rows and columns."""
LEAST_PRODUCTS, PRODUCT_SECONDS = 20, 0.02
TIMES_PRODUCT, TIMES_NARROW = 4.0, 64.0
"""How many times its rate a model can reach: fast algorithms for convolutions need fewer
operations, and for narrow numbers processors have units of their own."""
NARROW = frozenset({"fp16", "f16", "bf16", "int8", "mixed"})
UNKNOWN_CACHE = 1 << 29
"""Bytes, where the system does not tell."""
MOST_RATE = 1e16
"""FLOPs per second that no accelerator has."""
FEW_SETS, CHANCE, MOST_LOOKED_AT = 3, 8, 4096
"""Sets of inputs, and distinct numbers among the first outputs, from which on it is no chance that
outputs are the same."""
MOST_SHOWN = 24
"""Characters of a value that a sentence shows."""
MOST_NAMED = 3
"""Attributes that a sentence names."""


@dataclass(frozen=True)
class PairedRatio:
    """How many times as long some runs took as others: the median of the pairs and their range."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, some: list[float], others: list[float]) -> PairedRatio:
        ratios = sorted(a / max(b, 1.0) for a, b in zip(some, others, strict=True))
        cut = len(ratios) // 5  # an interruption hits any run
        inner = ratios[cut : len(ratios) - cut]
        return cls(float(np.median(ratios)), inner[0], inner[-1])


@dataclass(frozen=True)
class Recheck:
    """What the runs after the timed ones showed. Times are in milliseconds."""

    pairs: int = 0
    """How often a run on new inputs was compared with one on the recorded ones."""
    recorded_latency: float | None = None
    new_latency: float | None = None
    again_latency: float | None = None
    """That of a second run on the same new inputs."""
    new: PairedRatio | None = None
    """New inputs over recorded ones."""
    again: PairedRatio | None = None
    """The second run on new inputs over recorded ones."""
    constant: bool = False
    """Whether the recorded inputs are one number each."""
    same_outputs: int = 0
    """On how many sets of inputs the outputs are the same numbers; 0 if they differ at all."""
    repeated: int = 0
    """On how many new sets of inputs, one after the other, they are the same; 0 likewise."""
    verification: Verification | None = None
    """What is wrong with what is computed after the timing; None if nothing is."""
    compared: int = 0
    """Timed runs whose outputs were compared with others."""
    changed: tuple[str, ...] = ()
    """What the model holds and what changed while it was timed, as ``name: before → after``."""
    changes_inputs: bool = False
    """Whether it changed the inputs that it was given, after its first runs."""
    methods: dict[str, float] = field(default_factory=dict)
    """Times of the methods of the session: ``run`` and those that are not timed."""
    copying: float = 0.0
    """Milliseconds that a copy of the inputs and outputs takes here, as methods may make some."""
    count: OperationCount | None = None
    """What one run of the original does."""
    most_flops: float | None = None
    """FLOPs per second that are possible here, from a matrix product in fp32; None if they were not
    asked for."""
    cache_bytes: int | None = None
    """Of the processors, so that smaller weights need not come from memory."""
    failure: str = ""
    """Why it could not be checked."""


def recheck(
    session: Session,
    fresh: FreshInputs | None,
    reference: Reference | None,
    precision: str,
    *,
    before: Mapping[str, str],
    verdict: Verification | None,
) -> Recheck:
    """Check a session after its timed runs. It has the recorded inputs again at the end.

    ``before`` is the state of the model before these, and ``verdict`` what was found then: of
    outputs that did not match nothing more can be said.
    """
    after = _state(session)
    changed = tuple(_changes(before, after, frozenset()))
    changes_inputs = fresh is not None and not session.changes_inputs and not fresh.are_intact()
    if reference is None:
        return Recheck(changed=changed, changes_inputs=changes_inputs)
    check = _Check(session, reference, precision)
    chance = random.Random()
    wrong, compared = None, 0
    if verdict is not None and verdict.verdict.trusted and reference.deterministic:
        wrong = check.on_known(held_out=verdict.cause is Cause.WITHIN_TOLERANCE)
        if wrong is None and fresh is not None:
            wrong, compared = check.on_timed(fresh)
    times = check.times(chance)
    changed = tuple(_changes(before, after, check.overwritten() if changed else frozenset()))
    session.feed(reference.inputs)
    if wrong is not None and changed:
        names = ", ".join(changed[:MOST_NAMED])
        wrong = Verification(wrong.verdict, wrong.cause, f"{wrong.reason}; it holds {names}")
    return check.told(times, wrong, compared, changed, changes_inputs)


@dataclass
class _Times:
    """Nanoseconds of runs that took turns."""

    recorded: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    outputs: Outputs | None = None
    """On the last new inputs."""
    differ: bool = False
    """Whether the outputs on some new inputs differ from those on the ones before."""


class _Check:
    """The runs of one check."""

    def __init__(self, session: Session, reference: Reference, precision: str) -> None:
        self._session = session
        self._reference = reference
        self._precision = precision
        self._methods: dict[str, list[float]] = {}
        self._copying: list[int] = []
        """Nanoseconds of each copy of the inputs and outputs."""

    def on_known(self, *, held_out: bool) -> Verification | None:
        """What is wrong with the outputs on the recorded inputs, and on those of a held-out set."""
        held = [h for h in self._reference.held_out if not h.other_course][:1]
        reason = "after the timed runs it does not compute what the original computes"
        for known in (self._reference, *(held if held_out else ())):
            found = compare(self._run_anew(known.inputs), known, self._precision)
            if found.trusted or found.cause is Cause.ORIGINAL_UNSTABLE:
                continue
            if found.verdict is Verdict.MISMATCH:
                return _afterwards(f"{reason}: {found.reason}", found)
            if known is self._reference and found.verdict is Verdict.CLOSE:
                again = compare(self._run_anew(known.inputs), known, self._precision)
                if not again.trusted:
                    return _afterwards(f"{reason}: {found.reason}", found, Verdict.CLOSE)
        return None

    def on_timed(self, fresh: FreshInputs) -> tuple[Verification | None, int]:
        """What is wrong with the outputs of timed runs, and how many of them were compared: with
        those of two more runs on the same inputs, which must agree, and one with what the original
        computes, if it can still be asked."""
        for number, kept in enumerate(fresh.kept):
            pairs = zip(self._reference.inputs.items(), kept.inputs, strict=False)
            inputs = {n: a if new is None else _like(new, a) for (n, a), new in pairs}
            first, second = self._run_anew(inputs), self._run_anew(dict(inputs))
            if not agree(first, second):
                found = compare(second, Reference(inputs, first), self._precision)
                if found.verdict in (Verdict.MISMATCH, Verdict.CLOSE):
                    reason = "after the timed runs, two runs on the same inputs differ"
                    reason = f"{reason}: {found.reason}"
                    return _afterwards(reason, found, found.verdict), number
            elif not agree(kept.outputs, first):
                found = compare(kept.outputs, Reference(inputs, first), self._precision)
                reason = "a timed run did not compute what other runs compute on the same inputs"
                return _afterwards(f"{reason}: {found.reason}", found), number + 1
            if number == 0 and (wrong := self._unlike_original(kept.outputs, inputs)):
                return wrong, 1
        return None, len(fresh.kept)

    def _unlike_original(self, outputs: Outputs, inputs: Outputs) -> Verification | None:
        """What is wrong with the outputs of a timed run, compared with those of the original on the
        same inputs: a model may keep results by a key that several inputs share."""
        count = self._reference.count
        if self._reference.on is None or count is None or count.flops > MOST_FLOPS_AGAIN:
            return None
        found = compare(outputs, self._reference.on(inputs), self._precision)
        if found.trusted or found.cause is Cause.ORIGINAL_UNSTABLE:
            return None
        reason = "a timed run did not compute what the original computes on the same inputs"
        return _afterwards(f"{reason}: {found.reason}", found)

    def times(self, chance: random.Random) -> _Times:
        """The times of runs on recorded and on new inputs, in turns."""
        found = _Times()
        begin, pairs = time.perf_counter(), 0
        while pairs < MOST_PAIRS and (new := unseen(self._reference, chance)) is not None:
            found.recorded.append(self._timed(self._reference.inputs))
            found.new.append(self._timed(new))
            found.again.append(self._once())
            outputs = self._outputs(new)
            found.differ |= found.outputs is not None and not _are_same(found.outputs, outputs)
            found.outputs = outputs
            pairs += 1
            spent = time.perf_counter() - begin
            if spent > SECONDS and (pairs >= FEW_PAIRS or spent > FEW_PAIRS * SECONDS):
                break
        if not pairs:  # there are no other inputs to run on
            for _ in range(FEW_PAIRS):
                self._timed(self._reference.inputs)
                self._outputs(self._reference.inputs)
                if time.perf_counter() - begin > SECONDS:
                    break
        return found

    def overwritten(self) -> frozenset[str]:
        """The names of what is the same after each run on the same inputs, whatever ran before:
        memory that a model writes its results to."""
        if not self._reference.held_out:
            return frozenset()
        self._run_on(self._reference.inputs)
        first = _state(self._session)
        self._run_on(self._reference.held_out[0].inputs)
        self._run_on(self._reference.inputs)
        second = _state(self._session)
        return frozenset(name for name, text in first.items() if second.get(name) == text)

    def _run_on(self, inputs: Outputs) -> Outputs:
        self._timed(inputs)
        return self._outputs(inputs)

    def _run_anew(self, inputs: Outputs) -> Outputs:
        """The outputs of a run that begins with the buffers that the original begins with."""
        restart(self._session)
        return self._run_on(inputs)

    def _outputs(self, inputs: Outputs) -> Outputs:
        """Copies of the outputs of the last run, which was on these inputs."""
        found = self._method("outputs", self._session.outputs)
        begin = time.perf_counter_ns()
        copies = {name: np.array(array) for name, array in found.items()}
        _ = [np.array(array) for array in inputs.values()]
        self._copying.append(time.perf_counter_ns() - begin)
        return copies

    def _timed(self, inputs: Outputs) -> float:
        """Nanoseconds of a run on some inputs."""
        self._method("feed", lambda: self._session.feed(inputs))
        return self._once()

    def _once(self) -> float:
        self._method("prepare", self._session.prepare)
        begin = time.perf_counter_ns()
        self._method("run", self._session.run)
        self._method("synchronize", self._session.synchronize)
        return float(time.perf_counter_ns() - begin)

    def _method(self, name: str, call: Callable[[], Any]) -> Any:
        begin = time.perf_counter_ns()
        result = call()
        self._methods.setdefault(name, []).append(time.perf_counter_ns() - begin)
        return result

    def _untimed(self) -> Iterator[tuple[str, list[float]]]:
        """The methods whose times say something. What is timed together with ``run`` does not, nor
        do ``feed`` of our own sessions, which place what they are fed, and their ``prepare`` where
        a run modifies its inputs."""
        known = not is_of_plugin(self._session)
        left_out = {"feed": known, "prepare": known and self._session.changes_inputs}
        left_out["synchronize"] = self._session.asynchronous
        yield from ((n, t) for n, t in self._methods.items() if not left_out.get(n))

    def _most_flops(self) -> float:
        """FLOPs per second that the session may reach: on an accelerator what none has, and on a
        processor some times those of a matrix product in fp32."""
        if self._session.asynchronous:
            return MOST_RATE
        words = {self._precision, *map(str, self._session.settings().values())}
        return product_rate() * (TIMES_NARROW if words & NARROW else TIMES_PRODUCT)

    def told(
        self,
        times: _Times,
        wrong: Verification | None,
        compared: int,
        changed: tuple[str, ...],
        changes_inputs: bool,
    ) -> Recheck:
        known, count = bool(times.new), self._reference.count
        return Recheck(
            pairs=len(times.new),
            recorded_latency=_milliseconds(times.recorded),
            new_latency=_milliseconds(times.new),
            again_latency=_milliseconds(times.again),
            new=PairedRatio.of(times.new, times.recorded) if known else None,
            again=PairedRatio.of(times.again, times.recorded) if known else None,
            constant=_are_constant(self._reference.inputs),
            same_outputs=_same_outputs(self._reference),
            repeated=0 if times.differ or not _tell_much(times.outputs or {}) else len(times.new),
            verification=wrong,
            compared=compared,
            changed=changed,
            changes_inputs=changes_inputs,
            methods={name: min(each) / MILLISECOND for name, each in self._untimed()},
            copying=min(self._copying, default=0) / MILLISECOND,
            count=count,
            most_flops=None if count is None or count.flops < LEAST_FLOPS else self._most_flops(),
            cache_bytes=last_cache_bytes() or UNKNOWN_CACHE,
        )


def most_untimed(run: float, copying: float) -> float:
    """Milliseconds that a method may take which is not timed, where a run and a copy of the inputs
    and outputs take so many."""
    return max(LEAST_METHOD + COPIES * copying, SHARE * run)


def is_of_plugin(session: Any) -> bool:
    return not type(session).__module__.startswith("turnkeyml.runtimes.")


def product_rate() -> float:
    """FLOPs per second of matrix products in fp32 on all processors that we may use: the best rate
    of one, times their number.

    A large product would use several threads, which wait for each other where the machine is busy:
    it was ten times as slow then, and honest models faster than it. Small ones use one thread.
    """
    left = np.ones((PRODUCTS, PRODUCT, PRODUCT), dtype=np.float32)
    result = np.empty_like(left)
    times: list[int] = []
    begin = time.perf_counter()
    while len(times) < LEAST_PRODUCTS or time.perf_counter() - begin < PRODUCT_SECONDS:
        start = time.perf_counter_ns()
        np.matmul(left, left, out=result)
        times.append(time.perf_counter_ns() - start)
    return 2e9 * PRODUCTS * PRODUCT**3 / min(times) * usable_cores()


def _milliseconds(times: list[float]) -> float | None:
    return float(np.median(times)) / MILLISECOND if times else None


def _like(new: np.ndarray, recorded: np.ndarray) -> np.ndarray:
    """Values as a session holds them, in the dtype in which they were recorded."""
    return new.astype(recorded.dtype).reshape(recorded.shape)


def _are_constant(inputs: Outputs) -> bool:
    """Whether each input of several numbers has one number only, as a dummy input does."""
    several = [array for array in inputs.values() if array.size > 1 and array.dtype.kind in "fciu"]
    return bool(several) and all(np.all(array == array.flat[0]) for array in several)


def _same_outputs(reference: Reference) -> int:
    """On how many sets of inputs of other values the outputs are the same; 0 if they differ, and
    where they would be by chance, as labels are."""
    known = [reference, *reference.held_out]
    if not varied_inputs(reference) or len(known) < FEW_SETS or not _tell_much(reference.outputs):
        return 0
    same = all(_are_same(reference.outputs, one.outputs) for one in known[1:])
    return len(known) if same else 0


def _tell_much(outputs: Outputs) -> bool:
    """Tell whether outputs have so many different numbers that it is no chance if they repeat."""
    several = [a for a in outputs.values() if a.dtype.kind == "f" and a.size > 1]
    return any(_distinct(array) > CHANCE for array in several)


def _are_same(one: Outputs, other: Outputs) -> bool:
    """Tell whether two sets of outputs have the same bytes."""
    return [a.tobytes() for a in one.values()] == [a.tobytes() for a in other.values()]


def _distinct(array: np.ndarray) -> int:
    """How many finite numbers there are, of the first ones."""
    some = array.ravel()[:MOST_LOOKED_AT]
    return len(np.unique(some[np.isfinite(some)]))


def restart(session: Any) -> None:
    """Give a live model the buffers that it had when its session was opened."""
    if hasattr(session, "restart"):
        session.restart()


def _state(session: Any) -> dict[str, str]:
    read = getattr(session, "state", None)
    return {} if read is None else dict(read())


def _changes(
    before: Mapping[str, str], after: Mapping[str, str], overwritten: frozenset[str]
) -> Iterator[str]:
    """What is not as it was, in words; but for tensors of the same shapes that each run writes."""
    for name in [*before, *(name for name in after if name not in before)]:
        was, now = before.get(name, "nothing"), after.get(name, "nothing")
        if name in overwritten and _without_values(was) == _without_values(now):
            continue
        if was != now:
            was, now = _shortened(was), _shortened(now)
            yield f"{name} changed" if was == now else f"{name}: {was} → {now}"


def _without_values(text: str) -> str:
    """The text of a state with the shapes of its tensors alone."""
    return re.sub(r"(tensor \[[^]]*\]) \d+", r"\1", text)


def _shortened(text: str) -> str:
    """A value, or of a tensor or container what it is."""
    kind = text.partition(":")[0]
    return kind if len(kind) <= MOST_SHOWN else kind.partition(" ")[0]


def _afterwards(
    reason: str, found: Verification, verdict: Verdict = Verdict.MISMATCH
) -> Verification:
    return Verification(
        verdict,
        Cause.AFTER_TIMING,
        reason,
        found.max_absolute_error,
        found.max_relative_error,
        found.cosine,
    )
