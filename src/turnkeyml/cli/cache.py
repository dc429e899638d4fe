"""``turnkey cache``."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from turnkeyml import environment
from turnkeyml.cache.files import to_yaml
from turnkeyml.cache.layout import BuildFolder, build_folders
from turnkeyml.cache.stats import read_stats
from turnkeyml.errors import TurnkeyError, UsageError

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Do what the ``cache`` command asks for."""
    return _ACTIONS[options.action](options)


def _location(options: argparse.Namespace) -> int:
    print(f"The default cache directory is: {_cache_dir(options)}")
    return 0


def _list(options: argparse.Namespace) -> int:
    print(f"Info: Builds available in cache {_cache_dir(options)}:")
    for folder in build_folders(_cache_dir(options)):
        print(folder.name)
    return 0


def _stats(options: argparse.Namespace) -> int:
    for folder in _select(options):
        print(f"Info: The state of build {folder.name} in cache {folder.cache_dir} is:")
        if folder.state.exists():
            print(folder.state.read_text(encoding="utf-8", errors="replace"))
        print(f"Info: The stats of build {folder.name} are:")
        print(to_yaml(read_stats(folder)))
    return 0


def _delete(options: argparse.Namespace) -> int:
    return _change(options, "delete", "deleted", BuildFolder.delete)


def _clean(options: argparse.Namespace) -> int:
    return _change(options, "clean", "cleaned", BuildFolder.remove_artifacts)


def _change(
    options: argparse.Namespace, verb: str, done: str, change: Callable[[BuildFolder], None]
) -> int:
    """Change some builds, each of them only if nobody works on it."""
    folders = _select(options)
    if options.all and not options.yes and sys.stdin.isatty() and sys.stdout.isatty():
        answer = input(f"{verb.capitalize()} all {len(folders)} builds in {_cache_dir(options)}? ")
        if answer.strip().lower() not in ("y", "yes"):
            print("Nothing was changed.")
            return 1
    busy = []
    for folder in folders:
        if folder.try_locked(partial(change, folder)):
            print(f"Info: Build {folder.name} was {done}.")
        else:
            busy.append(folder.name)
    if busy:
        raise TurnkeyError(f"Another turnkey works on {', '.join(busy)}; try again later.")
    return 0


def _benchmark(options: argparse.Namespace) -> int:
    from turnkeyml.api import make_plan
    from turnkeyml.display.listing import build_lines
    from turnkeyml.launch.remeasure import SKIP, measure_again

    if options.skip not in SKIP:
        there = ", ".join(SKIP)
        raise UsageError(f"Unknown skip policy {options.skip!r}; there are: {there}.")
    plan = make_plan(
        runtime=options.runtime,
        iterations=options.iterations,
        quick=options.quick,
        rigorous=options.rigorous,
        threads=options.threads,
        cache_dir=options.cache_dir,
    )
    failed = 0
    for folder in _select(options):
        evaluations = measure_again(folder, plan, options.skip)
        print("\n".join(build_lines(folder.name, evaluations)), flush=True)
        failed += sum(not e.ok for e in evaluations)
    return 1 if failed else 0


def _report(options: argparse.Namespace) -> int:
    from turnkeyml.report.table import write_csv

    folders = options.cache_dir or [environment.cache_dir()]
    caches = [Path(folder).expanduser() for folder in folders]
    for cache in caches:
        if not cache.is_dir():
            raise TurnkeyError(f"There is no cache at {cache}.")
    path = write_csv(caches, Path(options.report_dir).expanduser())
    print(f"Summary spreadsheet saved at {path}")
    return 0


_ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "stats": _stats,
    "print": _stats,
    "delete": _delete,
    "clean": _clean,
    "benchmark": _benchmark,
    "report": _report,
    "location": _location,
}


def _cache_dir(options: argparse.Namespace) -> Path:
    return Path(options.cache_dir or environment.cache_dir()).expanduser()


def _select(options: argparse.Namespace) -> list[BuildFolder]:
    """The builds that are meant: only ever folders of ours, directly inside the cache."""
    cache_dir = _cache_dir(options)
    builds = {folder.name: folder for folder in build_folders(cache_dir)}
    if getattr(options, "all", False):
        if options.build_names:
            raise UsageError("Name builds or say --all, not both.")
        return list(builds.values())
    if not options.build_names:
        raise UsageError("Name at least one build, or say --all.")
    chosen: dict[str, BuildFolder] = {}
    for name in options.build_names:
        if "/" in name or "\\" in name or name in ("", ".", ".."):
            raise UsageError(f"{name!r} is not the name of a build.")
        found = [name] if name in builds else fnmatch.filter(builds, name)
        if not found:
            raise TurnkeyError(f"There is no build {name!r} in the cache {cache_dir}.")
        chosen.update({n: builds[n] for n in found})
    return list(chosen.values())
