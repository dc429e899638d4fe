"""The dimensions that are dynamic when a decode step is exported: the lengths of its cache."""

from __future__ import annotations

from turnkeyml import structure
from turnkeyml.build import Subject
from turnkeyml.frameworks.torch.subject import TorchSubject

Axes = dict[int, tuple[int, ...]]
"""Dimensions by the position of their tensor among all tensor arguments."""


def growing_axes(subject: Subject) -> Axes:
    """The dimensions in which the siblings of a model differ from it, by the tensor's position."""
    found: Axes = {}
    shapes = [_shapes_of(s) for s in (subject, *subject.siblings)]
    for position, sizes in enumerate(zip(*shapes, strict=True)):
        differ = [i for i, many in enumerate(zip(*sizes, strict=True)) if len({*many}) > 1]
        if differ:
            found[position] = tuple(differ)
    return found


def _shapes_of(subject: Subject) -> list[tuple[int, ...]]:
    assert isinstance(subject, TorchSubject)
    return [tuple(t.shape) for t in structure.leaves((subject.args, subject.kwargs)).values()]
