"""Match the rows of one side of a comparison with those of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple

from turnkeyml.nouns import ContestantKey
from turnkeyml.report.compared_rows import Item, Row
from turnkeyml.report.sides import Side

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
            stems_a, stems_b = _by_stem(rows_a), _by_stem(rows_b)
            for stem in {**stems_a, **stems_b}:
                yield from _pair_up(stems_a.get(stem, []), stems_b.get(stem, []))
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
    stems = _by_stem(rows)
    if len(stems) < 2:
        return False
    kinds = [kind for own in stems.values() for kind in {row.item.kind for row in own}]
    if len(kinds) > len(set(kinds)):
        return True
    vague = [row for row in rows if _is_vague(row)]
    return any(
        one.item.stem != other.item.stem and one.is_like(other) for one in vague for other in rows
    )


def _by_stem(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.item.stem, []).append(row)
    return found


def _is_vague(row: Row) -> bool:
    """Whether it failed before all of its kind was known, so that it is like several kinds."""
    return bool(row.failure) and not all(astuple(row.item.kind))


def _pair_up(rows_a: Sequence[Row], rows_b: Sequence[Row]) -> Iterator[Match]:
    """Match the newest rows of one model.

    Rows of the same kind come first. Then failures of several kinds are matched with each row that
    has no counterpart yet.
    """
    newest_a, newest_b = _newest(rows_a), _newest(rows_b)
    yield from ((row, newest_b[kind]) for kind, row in newest_a.items() if kind in newest_b)
    left_a = [row for kind, row in newest_a.items() if kind not in newest_b]
    left_b = [row for kind, row in newest_b.items() if kind not in newest_a]
    vague_b = [row for row in left_b if _is_vague(row)]
    matched: set[int] = set()
    for a in left_a:
        for b in left_b if _is_vague(a) else vague_b:
            if a.is_like(b):
                matched |= {id(a), id(b)}
                yield a, b
    yield from ((row, None) for row in left_a if id(row) not in matched)
    yield from ((None, row) for row in left_b if id(row) not in matched)


def _newest(rows: Sequence[Row]) -> dict[ContestantKey, Row]:
    """The newest row of each kind; the last one if their times are unknown."""
    kept: dict[ContestantKey, Row] = {}
    vague: set[ContestantKey] = set()
    for row in rows:
        kind = row.item.kind
        rivals = list(kept) if _is_vague(row) else [*filter(kept.__contains__, {kind, *vague})]
        rivals = [rival for rival in rivals if kept[rival].is_like(row)]
        if any(kept[rival].is_newer_than(row) for rival in rivals):
            continue
        for rival in rivals:
            del kept[rival]
            vague.discard(rival)
        kept[kind] = row
        if _is_vague(row):
            vague.add(kind)
    return kept
