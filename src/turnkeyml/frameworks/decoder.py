"""The steps of a decoder: calls that differ only in the length of the key-value cache they take.

A ``generate()`` loop calls its model once per token, each time with a cache that is longer by one.
These hundreds of calls are one group. It is built and measured at three lengths: the first, a
middle and the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from turnkeyml.nouns import Phase

if TYPE_CHECKING:
    from turnkeyml.frameworks.register import Invocation

Shapes = Mapping[str, tuple[int, ...]]
Axes = dict[str, int]
"""The dimension that grows, by the name of the tensor."""

KEPT = 4
"""The most steps between the first and the last whose inputs are kept until the script ends."""


class StepGroup:
    """The invocations of one model that are steps of one decoder."""

    def __init__(self, first: Invocation, axes: Axes) -> None:
        self.axes = axes
        self.members = [first]
        self._stride = 1
        self._inner: list[Invocation] = []

    def takes(self, shapes: Shapes, dtypes: Mapping[str, str], flags: str) -> bool:
        """Whether a call with these inputs is another step."""
        first = self.members[0]
        if flags != first.flags or dtypes != first.dtypes:
            return False
        return growing_axes(first.shapes, shapes) == self.axes

    def add(self, step: Invocation, arguments: Any) -> None:
        """Add a step with a copy of its inputs; those of few steps are kept."""
        before = self.members[-1]
        if len(self.members) > 1 and before not in self._inner:
            before.arguments = None
        step.arguments = arguments
        self.members.append(step)
        if (len(self.members) - 1) % self._stride == 0:
            self._inner.append(step)
        if len(self._inner) > KEPT:
            self._thin_out()

    def _thin_out(self) -> None:
        """Keep every second step, so that those that are kept stay spread over all."""
        self._stride *= 2
        dropped, self._inner = self._inner[::2], self._inner[1::2]
        for step in dropped:
            if step is not self.members[-1]:
                step.arguments = None

    @property
    def measured(self) -> list[Invocation]:
        """The steps that are built and measured, by length: the first, a middle and the last."""
        usable = [m for m in self.members if m.arguments is not None and m.completed]
        usable.sort(key=self.length)
        if len(usable) <= 2:
            return usable
        first, *inner, last = usable
        middle = (self.length(first) + self.length(last)) / 2
        return [first, min(inner, key=lambda step: abs(self.length(step) - middle)), last]

    def length(self, step: Invocation) -> int:
        """The length of the cache that a step takes."""
        name = next(iter(_cache(step.shapes, step.dtypes, self.axes)))
        return step.shapes[name][self.axes[name]]

    @property
    def tokens(self) -> int:
        """The tokens that one step gives: one per sequence of the batch."""
        first = self.members[0]
        name = next(iter(_cache(first.shapes, first.dtypes, self.axes)))
        return first.shapes[name][1 if self.axes[name] == 0 else 0]


def growing_axes(before: Shapes, after: Shapes) -> Axes | None:
    """The one dimension of each tensor that differs, all by the same amount; None if it is not so.

    Some tensor stays as it is: the token that a step adds.
    """
    if list(before) != list(after):
        return None
    axes: Axes = {}
    amounts = set()
    for name, shape in before.items():
        if len(shape) != len(after[name]):
            return None
        changed = [i for i, size in enumerate(shape) if size != after[name][i]]
        if len(changed) > 1:
            return None
        if changed:
            axes[name] = changed[0]
            amounts.add(after[name][changed[0]] - shape[changed[0]])
    return axes if len(amounts) == 1 and len(axes) < len(before) else None


def starts_group(before: Invocation, after: Shapes, dtypes: Mapping[str, str], flags: str) -> Axes:
    """The axes along which a call is the next step after another one; empty if it is not."""
    if before.flags != flags or before.dtypes != dtypes:
        return {}
    axes = growing_axes(before.shapes, after) or {}
    cache = _cache(after, dtypes, axes)
    grows_by_one = all(after[n][axis] - before.shapes[n][axis] == 1 for n, axis in axes.items())
    return axes if len(cache) >= 2 and grows_by_one else {}


def _cache(shapes: Shapes, dtypes: Mapping[str, str], names: Mapping[str, Any]) -> list[str]:
    """The tensors among some names that may be keys or values: floats inside of a container."""
    return [
        name for name in names if "." in name and "float" in dtypes[name] and len(shapes[name]) >= 3
    ]


def phase_of(invocation: Invocation, others: list[Invocation]) -> Phase | None:
    """What an invocation is for a decoder, given all invocations of its model, in order."""
    decoding = [i for i in others if _is_decode(i, others)]
    if not decoding:
        return None
    if invocation in decoding:
        return Phase.DECODE
    before = others[: others.index(decoding[0])]
    return Phase.PREFILL if before and invocation is before[-1] else None


def _is_decode(invocation: Invocation, others: list[Invocation]) -> bool:
    """Whether it takes a cache and one token, after a call that took no cache or more tokens."""
    if invocation.steps is not None:
        return True
    cache = _cache(invocation.shapes, invocation.dtypes, invocation.shapes)
    if len(cache) < 2 or _tokens(invocation) != 1:
        return False
    before = others[: others.index(invocation)]
    return any(_tokens(o) > 1 or not _cache(o.shapes, o.dtypes, o.shapes) for o in before)


def _tokens(invocation: Invocation) -> int:
    """How many tokens per sequence a call takes; 0 if it takes none."""
    for name, shape in invocation.shapes.items():
        if "int" in invocation.dtypes[name] and len(shape) == 2 and "mask" not in name:
            return shape[1]
    return 0


def tokens_per_run(invocation: Invocation) -> int:
    """How many tokens a decoding call gives: one per sequence of the batch."""
    if invocation.steps is not None:
        return invocation.steps.tokens
    return invocation.shapes[_cache(invocation.shapes, invocation.dtypes, invocation.shapes)[0]][0]
