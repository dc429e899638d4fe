"""Inputs that change from run to run, so that no timed run computes what an earlier one did.

A model that keeps results, by the identity of its inputs or by their values, is fast only where the
same inputs come again. So the runs take turns on several copies of the recorded inputs. Before a
run two numbers of its copy change places, and one of them moves a little towards the other, as a
key may be a sum. The shapes, the range and the distribution of the values stay those of the
recorded workload. Which inputs may change is known from the held-out sets, on which the original
has run with other values.
"""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from turnkeyml.verify import Outputs, Reference, is_mask

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session

MOST_REPLICAS = 8
MOST_REPLICA_BYTES = 4 << 20
"""Of the inputs and outputs of all copies: more would push the weights of a model out of the
caches."""
MOST_PERMUTED = 256
"""Numbers of which few shifts could be the same."""
CHANGES_OF_SLICE = 8
MOST_KEPT = 4
"""Timed runs whose outputs are kept, to be compared with others on the same inputs."""
MOST_KEPT_BYTES = 1 << 28
MOST_VARIED_BYTES, MOST_READ_BYTES = 1 << 26, 1 << 28
"""Larger inputs stay the same, and nobody looks whether even larger ones do."""
MOST_BLENDED = 1 / 64
"""Of the way from one number to the other, how far the first may move."""
LOOKED_AT = 4096
"""Numbers of an input that tell whether all of it are integers, which stay such."""
CROSSED = 16
"""One in so many integers is taken from the recorded set instead of the held-out one."""
MOST_CHANGED = 8
"""Inputs in which numbers change places before a run; of more inputs, these at random."""


def varied_inputs(reference: Reference) -> tuple[int, ...]:
    """The positions of the inputs whose numbers may change places: the original has run on other
    values of them, they are no masks, and their numbers are not all the same."""
    names = enumerate(reference.inputs.items())
    return tuple(number for number, (name, array) in names if _may_vary(name, array, reference))


def _may_vary(name: str, array: np.ndarray, reference: Reference) -> bool:
    if array.size < 2 or array.dtype.kind not in "fciu" or is_mask(name, array):
        return False
    others = [held.inputs[name] for held in reference.held_out]
    differs = any(not np.array_equal(other, array) for other in others)
    return differs and bool(np.any(array != array.flat[0]))


def unseen(reference: Reference, chance: random.Random) -> Outputs | None:
    """Inputs like the recorded ones that nothing has ever run on; None if there are none.

    They begin as the first held-out set, on which the original ran. Floats change places at random,
    and one of them changes its value; some integers become those of the recorded set.
    """
    if not reference.held_out:
        return None
    base = reference.held_out[0].inputs
    return {
        name: _other(name, array, reference.inputs[name], chance) for name, array in base.items()
    }


def _other(name: str, array: np.ndarray, recorded: np.ndarray, chance: random.Random) -> np.ndarray:
    if array.size < 2 or np.array_equal(array, recorded) or is_mask(name, array):
        return array
    if array.dtype.kind in "fc":
        return _reordered(array, chance)
    if array.dtype.kind in "iu" and array.shape == recorded.shape:
        crossed = array.copy()
        for _ in range(1 + array.size // CROSSED):
            place = chance.randrange(array.size)
            crossed.flat[place] = recorded.flat[place]
        return crossed
    return array


def _reordered(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """The same numbers at other places, in any order, or shifted if they are many; but for one."""
    if array.size > MOST_PERMUTED:
        found = np.roll(array, chance.randrange(1, array.size))
    else:
        order = [*range(array.size)]
        chance.shuffle(order)
        found = array.flat[order].reshape(array.shape)
    if _may_blend(found):
        one, other = chance.randrange(found.size), chance.randrange(found.size)
        found.flat[one] = _blended(found.flat[one], found.flat[other], chance)
    return found


def _may_blend(array: np.ndarray) -> bool:
    """Whether its numbers are finite and not all of them integers."""
    if array.dtype.kind not in "fc" or not np.isfinite(array).all():
        return False
    some = array.ravel()[:LOOKED_AT]
    return not np.array_equal(some, np.rint(some))


def _blended(one: Any, other: Any, chance: random.Random) -> Any:
    """A number a little on the way to another one, so that it stays within the range of both."""
    return one + (other - one) * (chance.random() * MOST_BLENDED)


@dataclass(frozen=True)
class KeptRun:
    """The inputs of a timed run, and what it computed."""

    inputs: tuple[np.ndarray | None, ...]
    """In the order of the recorded ones; None for those that did not change."""
    outputs: Outputs


class _Copy:
    """One copy of the inputs: the memory that a session reads, and what was written to it."""

    def __init__(self, session: Any, memory: Sequence[np.ndarray | None], varied: Sequence[int]):
        self._session = session
        self._memory = memory
        self._known: dict[int, np.ndarray] = {}
        """What was written to each input, by its position."""
        self._varied: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []
        """Of each input: its memory, what was written there, and its numbers before any moved
        towards another; None if they do not."""
        shared: dict[int, np.ndarray] = {}
        for number, array in enumerate(memory):
            if array is None or number not in varied or array.nbytes > MOST_VARIED_BYTES:
                continue
            address = array.__array_interface__["data"][0]
            if address not in shared:  # a tensor may be given twice
                known = shared[address] = np.array(array)
                self._varied.append((array, known, known.copy() if _may_blend(known) else None))
            self._known[number] = shared[address]
        self._others = self._read_others()

    def _read_others(self) -> list[Any]:
        """What else the arguments hold: checksums of arrays that are not too large, and a text for
        everything but tensors."""
        read = getattr(self._session, "constants", None)
        found: list[Any] = [] if read is None else [read()]
        for number, array in enumerate(self._memory):
            if array is not None and number not in self._known and array.nbytes <= MOST_READ_BYTES:
                found.append(zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data))
        return found

    def change(self, chance: random.Random) -> None:
        """Let two numbers of each input that may vary change places, and one move a little."""
        varied = self._varied
        if len(varied) > MOST_CHANGED:
            varied = chance.sample(varied, MOST_CHANGED)
        for memory, known, unmoved in varied:
            size = known.size
            one = int(chance.random() * size)
            other = (one + 1 + int(chance.random() * (size - 1))) % size
            numbers = (known if unmoved is None else unmoved).flat
            first, second = numbers[one], numbers[other]
            if unmoved is not None:
                numbers[one], numbers[other] = second, first
                second = _blended(second, first, chance)
            for there in (known.flat, memory.flat):
                there[one], there[other] = second, first

    def values(self) -> tuple[np.ndarray | None, ...]:
        """What was written to each input; None where nothing was."""
        found = map(self._known.get, range(len(self._memory)))
        return tuple(None if array is None else array.copy() for array in found)

    def is_intact(self) -> bool:
        """Whether what was written is still there."""
        same = all(_are_same(memory, known) for memory, known, _ in self._varied)
        return same and self._read_others() == self._others


def _are_same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


class FreshInputs:
    """The sessions that the timed runs take turns on, each with inputs of its own that change."""

    def __init__(
        self, session: Session, inputs: Mapping[str, np.ndarray], varied: Sequence[int], size: int
    ) -> None:
        """``size``: the bytes of the inputs and outputs of one run."""
        self._session: Any = session
        self._inputs = inputs
        self._varied = varied
        self._size = max(1, size)
        self._chance = random.Random()
        self._is_writable = hasattr(session, "writable")
        self.sessions: list[Any] = self._replicas()
        self._copies = [_Copy(one, self._memory_of(one), varied) for one in self.sessions]
        self._turns = itertools.cycle(range(len(self.sessions)))
        self.kept: list[KeptRun] = []
        self._slices = 0

    def _replicas(self) -> list[Any]:
        if not hasattr(self._session, "replicas"):
            return [self._session]
        count = min(MOST_REPLICAS, max(1, MOST_REPLICA_BYTES // self._size))
        return self._session.replicas(count) or [self._session]

    def _memory_of(self, session: Any) -> Sequence[np.ndarray | None]:
        return session.writable() if self._is_writable else ()

    def change_next(self) -> int:
        """Change the inputs of the session whose turn it is; its number."""
        number = next(self._turns)
        if self._is_writable:
            self._copies[number].change(self._chance)
        return number

    def begin_slice(self) -> None:
        """Feed other inputs where they cannot be changed between two runs."""
        self._slices += 1
        if self._is_writable or not self._varied:
            return
        fed = {name: array.copy() for name, array in self._inputs.items()}
        copy = _Copy(self._session, [*fed.values()], self._varied)
        for _ in range(CHANGES_OF_SLICE):
            copy.change(self._chance)
        self._session.feed(fed)
        self._copies = [copy]

    def chosen(self, samples: int) -> int:
        """The sample of a slice after which the outputs are kept, -1 for none: in the end each
        slice has the same chance."""
        if self._size > MOST_KEPT_BYTES or self._chance.random() * self._slices > MOST_KEPT:
            return -1
        return self._chance.randrange(samples)

    def keep(self, number: int) -> None:
        """Keep the inputs and the outputs of the last run of a session."""
        outputs = {n: np.array(a) for n, a in self.sessions[number].outputs().items()}
        run = KeptRun(self._copies[number].values(), outputs)
        if len(self.kept) < MOST_KEPT:
            self.kept.append(run)
        else:
            self.kept[self._chance.randrange(MOST_KEPT)] = run

    def are_intact(self) -> bool:
        """Whether no run has changed the inputs that it was given."""
        return all(copy.is_intact() for copy in self._copies)
