"""``report``: write the evaluations in caches to files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from turnkeyml.errors import TurnkeyError
from turnkeyml.options import ReportOptions, takes

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["report"]


@takes(ReportOptions)
def report(**options: Unpack[ReportOptions]) -> list[Path]:
    """Write a report of one or several caches; the paths of the files, one per format."""
    caches = [Path(folder) for folder in cast("Iterable[str]", options["cache_dir"])]
    for cache in caches:
        if not cache.is_dir():
            raise TurnkeyError(f"There is no cache at {cache}; name a cache with --cache-dir.")
    from turnkeyml.report.table import write_report

    return write_report(caches, Path(options["report_dir"]), tuple(options["format"]))
