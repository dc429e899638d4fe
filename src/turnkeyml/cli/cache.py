"""``turnkey cache``."""

from __future__ import annotations

import argparse
from pathlib import Path

from turnkeyml import environment
from turnkeyml.cache.files import to_yaml
from turnkeyml.cache.layout import BuildFolder, build_folders
from turnkeyml.cache.stats import read_stats
from turnkeyml.errors import TurnkeyError

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Do what the ``cache`` command asks for."""
    cache_dir = Path(options.cache_dir or environment.cache_dir()).expanduser()
    action = {"list": _list, "stats": _stats, "report": _report, "location": _location}
    return action[options.action](cache_dir, options)


def _location(cache_dir: Path, options: argparse.Namespace) -> int:
    print(f"The default cache directory is: {cache_dir}")
    return 0


def _list(cache_dir: Path, options: argparse.Namespace) -> int:
    print(f"Info: Builds available in cache {cache_dir}:")
    for folder in build_folders(cache_dir):
        print(folder.name)
    return 0


def _stats(cache_dir: Path, options: argparse.Namespace) -> int:
    for name in options.build_names:
        folder = BuildFolder(cache_dir, name)
        if folder.name not in {f.name for f in build_folders(cache_dir)}:
            raise TurnkeyError(f"There is no build {name!r} in the cache {cache_dir}.")
        print(f"Info: The state of build {name} in cache {cache_dir} is:")
        print(folder.state.read_text(encoding="utf-8") if folder.state.exists() else "")
        print(f"Info: The stats of build {name} are:")
        print(to_yaml(read_stats(folder)))
    return 0


def _report(cache_dir: Path, options: argparse.Namespace) -> int:
    from turnkeyml.report.table import write_csv

    path = write_csv(cache_dir, Path(options.report_dir))
    print(f"Summary spreadsheet saved at {path}")
    return 0
