"""``turnkey compare``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from turnkeyml.cli.output import Output
from turnkeyml.errors import UsageError
from turnkeyml.measure.ratios import SpeedVerdict
from turnkeyml.report.compare import compare
from turnkeyml.report.comparison import Comparison
from turnkeyml.report.comparison_report import render
from turnkeyml.report.rows import item_in_words

__all__ = ["run", "show"]

SPELLINGS = "slower:P% (such as slower:5%), failed and vanished"
NAMED = 5
"""Rows that a sentence names before it counts the rest."""


@dataclass(frozen=True)
class Condition:
    """Something that must not happen; ``rows`` are the names of those where it did."""

    spelling: str
    rows: Callable[[Comparison], list[str]]


def run(options: argparse.Namespace) -> int:
    """Compare; 1 if a condition of ``--fail-on`` is met."""
    conditions = [_condition(word) for words in options.fail_on for word in words.split(",")]
    with Output("compare", options.json) as output:
        comparison = compare(options.a, options.b)
        show(comparison, options)
        met = list(_met(conditions, comparison))
        output.hold(ok=not met, comparison=comparison, failed_on=met)
    if met:
        sys.stdout.flush()
        print(f"turnkey compare: failed because of {'; '.join(met)}.", file=sys.stderr)
    return 1 if met else 0


def show(comparison: Comparison, options: argparse.Namespace) -> None:
    """Print what was found, in the form that was asked for."""
    print(render(comparison, options.format), flush=True)


def _condition(word: str) -> Condition:
    if word == "failed":
        return Condition(word, _failed)
    if word == "vanished":
        return Condition(word, lambda c: [item_in_words(row.item) for row in c.vanished])
    percent = re.fullmatch(r"slower:(\d+(?:\.\d+)?)%", word)
    if percent is None:
        raise UsageError(f"{word!r} is nothing that --fail-on knows; there are: {SPELLINGS}.")
    limit = 1 + float(percent[1]) / 100
    return Condition(word, lambda c: list(_slower(c, limit)))


def _failed(comparison: Comparison) -> list[str]:
    return [item_in_words(f.item) for f in comparison.failures if f.failure_a is None]


def _slower(comparison: Comparison, limit: float) -> Iterator[str]:
    for row in comparison.rows:
        if row.verdict is SpeedVerdict.SLOWER and row.ratio >= limit:
            yield f"{item_in_words(row.item)} at {row.ratio:.3f}"


def _met(conditions: list[Condition], comparison: Comparison) -> Iterator[str]:
    """The conditions that are met, each with the rows that met it."""
    for condition in conditions:
        names = condition.rows(comparison)
        if names:
            more = len(names) - NAMED
            rest = f" and {more} more" if more > 0 else ""
            yield f"{condition.spelling}: {', '.join(names[:NAMED])}{rest}"
