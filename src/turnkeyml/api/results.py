"""``report``, ``compare`` two sets of measurements, and check the conditions of ``--fail-on``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from turnkeyml.errors import TurnkeyError
from turnkeyml.options import CompareOptions, ReportOptions, ServeOptions, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from turnkeyml.report import Comparison, Progress, ReportServer, SavedReport

NAMED = 5
"""Rows that a message names before it counts the rest."""


def compare(a: str, b: str, progress: Progress | None = None) -> Comparison:
    """The comparison of the measurements in B with those in A.

    Each is the path of a cache, build folders, a report, an evaluation.json or a JSON document.
    ``progress`` is told what is being done, how many of it are done, and of how many.
    """
    from turnkeyml.report import compare_measurements

    return compare_measurements(a, b, progress)


def save_comparison(comparison: Comparison, path: Path, format: str | None = None) -> bool:
    """Write a comparison to a file, in the format that its suffix names unless one is given.

    Returns whether it replaced a file.
    """
    from turnkeyml.report import save

    return save(comparison, path, format)


@takes(CompareOptions)
def conditions_met(comparison: Comparison, **options: Unpack[CompareOptions]) -> list[str]:
    """The conditions of ``fail_on`` that a comparison meets, each with the rows that meet it.

    A condition is ``slower:5%``, ``failed``, ``vanished``, ``mismatch`` or ``unclear``.
    """
    met = []
    for condition in options["fail_on"]:
        names = _rows_of(condition)(comparison)
        if names:
            more = len(names) - NAMED
            rest = f" and {more} more" if more > 0 else ""
            met.append(f"{condition}: {', '.join(names[:NAMED])}{rest}")
    return met


def _rows_of(condition: str) -> Callable[[Comparison], list[str]]:
    """A function that returns the names of the rows that meet a condition."""
    if condition in _CONDITIONS:
        return _CONDITIONS[condition]
    limit = 1 + float(condition.removeprefix("slower:").removesuffix("%")) / 100
    return lambda comparison: list(_slower(comparison, limit))


def _failed(comparison: Comparison) -> list[str]:
    from turnkeyml.report import item_in_words

    return [item_in_words(f.item) for f in comparison.failures if f.failure_a is None]


def _vanished(comparison: Comparison) -> list[str]:
    from turnkeyml.report import item_in_words

    return [item_in_words(row.item) for row in comparison.vanished]


def _slower(comparison: Comparison, limit: float) -> Iterator[str]:
    from turnkeyml.measure import SpeedVerdict
    from turnkeyml.report import item_in_words

    for row in comparison.rows:
        if row.verdict is SpeedVerdict.SLOWER and row.ratio >= limit:
            yield f"{item_in_words(row.item)} at {row.ratio:.3f}"


def _mismatches(comparison: Comparison) -> list[str]:
    """Rows that compute something else in B, unless they did in A."""
    from turnkeyml.nouns import Verdict
    from turnkeyml.report import item_in_words

    wrong = Verdict.MISMATCH
    items = [
        *(r.item for r in comparison.rows if r.verification_b is wrong is not r.verification_a),
        *(f.item for f in comparison.failures if f.verification_b is wrong),
        *(s.item for s in comparison.appeared if s.verification is wrong),
    ]
    return [item_in_words(item) for item in items]


def _unclear(comparison: Comparison) -> list[str]:
    from turnkeyml.report import item_in_words

    return [f"{item_in_words(r.item)}: {r.undecided}" for r in comparison.rows if r.undecided]


_CONDITIONS: dict[str, Callable[[Comparison], list[str]]] = {
    "failed": _failed,
    "vanished": _vanished,
    "mismatch": _mismatches,
    "unclear": _unclear,
}


@takes(ReportOptions)
def report(**options: Unpack[ReportOptions]) -> list[Path]:
    """Write a report of one or several caches; the paths of the files, one per format."""
    return [saved.path for saved in _save(options)]


@takes(ReportOptions)
def save_report(
    progress: Callable[[int, int], None] | None = None, **options: Unpack[ReportOptions]
) -> list[SavedReport]:
    """The same as ``report``, with what each file replaced.

    ``progress`` is told how many builds of a cache were read, and of how many.
    """
    return _save(options, progress)


@takes(ServeOptions)
def serve(**options: Unpack[ServeOptions]) -> ReportServer:
    """A server of the report of caches, which listens but serves nothing until it is run."""
    from turnkeyml.report import ReportServer

    return ReportServer(
        _caches(options["cache_dir"]), options["bind"], options["port"], options["all"]
    )


def _save(
    options: ReportOptions, progress: Callable[[int, int], None] | None = None
) -> list[SavedReport]:
    from turnkeyml.report import save_reports

    return save_reports(
        _caches(options["cache_dir"]),
        Path(options["report_dir"]),
        tuple(options["format"]),
        [Path(path) for path in cast("Iterable[str]", options["output"])],
        options["all"],
        progress=progress,
    )


def _caches(folders: Any) -> list[Path]:
    caches = [Path(folder) for folder in folders]
    for cache in caches:
        if not cache.is_dir():
            raise TurnkeyError(f"There is no cache at {cache}; name a cache with --cache-dir.")
    return caches
