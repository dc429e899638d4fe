"""``report``: write the evaluations in caches to files, or serve them to a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from turnkeyml.errors import TurnkeyError
from turnkeyml.options import ReportOptions, ServeOptions, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from turnkeyml.report import ReportServer, SavedReport


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
