"""Match the rows of one side of a comparison with those of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from turnkeyml.report.rows import Item, Row
from turnkeyml.report.sides import Side

__all__ = ["Match", "match_rows"]

Match = tuple[Row | None, Row | None]
"""A row of A and its counterpart in B; None if there is none."""


def match_rows(side_a: Side, side_b: Side) -> Iterator[Match]:
    """Every row with its counterpart, if it has one.

    A failure that corresponds to several rows of the other side is matched with each of them.
    """
    identity = _identity([*side_a.rows, *side_b.rows])
    groups: dict[tuple[str, ...], tuple[list[Row], list[Row]]] = {}
    for number, side in enumerate((side_a, side_b)):
        for row in side.rows:
            groups.setdefault(identity(row.item), ([], []))[number].append(row)
    for rows_a, rows_b in groups.values():
        if _is_ambiguous(rows_a) or _is_ambiguous(rows_b):
            for stem in dict.fromkeys(row.item.stem for row in (*rows_a, *rows_b)):
                yield from _pair_up(_of_stem(rows_a, stem), _of_stem(rows_b, stem))
        else:
            yield from _pair_up(rows_a, rows_b)


def _identity(rows: Iterable[Row]) -> Callable[[Item], tuple[str, ...]]:
    """A function that returns the identity of an item's model and inputs.

    The invocation hash includes the model hash, so it is enough if an evaluation outside its build
    folder does not know the model hash.
    """
    if all(row.item.model_hash for row in rows):
        return lambda item: (item.model_hash, item.hash)
    return lambda item: (item.hash or item.build_name,)


def _is_ambiguous(rows: list[Row]) -> bool:
    """Whether several scripts contain the same model, measured in the same way."""
    return any(
        one.item.stem != other.item.stem and one.is_like(other)
        for number, one in enumerate(rows)
        for other in rows[:number]
    )


def _of_stem(rows: list[Row], stem: str) -> list[Row]:
    return [row for row in rows if row.item.stem == stem]


def _pair_up(rows_a: Sequence[Row], rows_b: Sequence[Row]) -> Iterator[Match]:
    """Match the newest rows of one model.

    Rows of the same kind come first. Then failures of several kinds are matched with each row that
    has no counterpart yet.
    """
    left_a, left_b = _newest(rows_a), _newest(rows_b)
    exact = [(a, b) for a in left_a for b in left_b if a.item.kind == b.item.kind]
    yield from exact
    left_a = [row for row in left_a if not any(row is a for a, _ in exact)]
    left_b = [row for row in left_b if not any(row is b for _, b in exact)]
    loose = [(a, b) for a in left_a for b in left_b if a.is_like(b)]
    yield from loose
    yield from ((row, None) for row in left_a if not any(row is a for a, _ in loose))
    yield from ((None, row) for row in left_b if not any(row is b for _, b in loose))


def _newest(rows: Sequence[Row]) -> list[Row]:
    """The newest row of each kind; the last one if their times are unknown."""
    kept: list[Row] = []
    for row in rows:
        rivals = [old for old in kept if old.is_like(row)]
        if not any(old.is_newer_than(row) for old in rivals):
            kept = [*(old for old in kept if not any(old is r for r in rivals)), row]
    return kept
