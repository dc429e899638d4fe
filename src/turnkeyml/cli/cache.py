"""``turnkey cache``."""

from __future__ import annotations

import argparse
import fnmatch
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from turnkeyml import environment
from turnkeyml.cache.checkup import damages
from turnkeyml.cache.files import read_yaml, to_yaml
from turnkeyml.cache.layout import BuildFolder, build_folders
from turnkeyml.cache.stats import read_stats
from turnkeyml.cli.output import Output
from turnkeyml.errors import TurnkeyError, UsageError

__all__ = ["run"]


def run(options: argparse.Namespace) -> int:
    """Do what the ``cache`` command asks for."""
    with Output(f"cache {options.action}", options.json) as output:
        return _ACTIONS[options.action](options, output)


def _location(options: argparse.Namespace, output: Output) -> int:
    print(f"The default cache directory is: {_cache_dir(options)}")
    output.hold(cache_dir=str(_cache_dir(options)))
    return 0


def _list(options: argparse.Namespace, output: Output) -> int:
    print(f"Info: Builds available in cache {_cache_dir(options)}:")
    names = [folder.name for folder in build_folders(_cache_dir(options))]
    for name in names:
        print(name)
    _tell_damages(build_folders(_cache_dir(options)))
    output.hold(cache_dir=str(_cache_dir(options)), builds=[{"name": name} for name in names])
    return 0


def _stats(options: argparse.Namespace, output: Output) -> int:
    folders = _select(options)
    _tell_damages(folders)
    for folder in folders:
        print(f"Info: The state of build {folder.name} in cache {folder.cache_dir} is:")
        state = read_yaml(folder.state)
        if state is not None:
            print(to_yaml(state))
        print(f"Info: The stats of build {folder.name} are:")
        print(to_yaml(read_stats(folder)))
    output.hold(
        cache_dir=str(_cache_dir(options)),
        builds=[
            {"name": f.name, "state": read_yaml(f.state), "stats": read_stats(f)} for f in folders
        ],
    )
    return 0


def _delete(options: argparse.Namespace, output: Output) -> int:
    return _change(options, output, ("delete", "deleted"), BuildFolder.delete)


def _clean(options: argparse.Namespace, output: Output) -> int:
    return _change(options, output, ("clean", "cleaned"), BuildFolder.remove_artifacts)


def _change(
    options: argparse.Namespace,
    output: Output,
    words: tuple[str, str],
    change: Callable[[BuildFolder], None],
) -> int:
    """Change some builds, each of them only if nobody works on it."""
    verb, done = words
    folders = _select(options)
    _tell_damages(folders)
    if options.all and not options.yes and sys.stdin.isatty() and sys.stdout.isatty():
        answer = input(f"{verb.capitalize()} all {len(folders)} builds in {_cache_dir(options)}? ")
        if answer.strip().lower() not in ("y", "yes"):
            print("Nothing was changed.")
            output.hold(ok=False, cache_dir=str(_cache_dir(options)), builds=[])
            return 1
    changed = {f.name: f.try_locked(partial(change, f)) for f in folders}
    for name in (name for name, was_done in changed.items() if was_done):
        print(f"Info: Build {name} was {done}.")
    busy = [name for name, was_done in changed.items() if not was_done]
    output.hold(
        ok=not busy,
        cache_dir=str(_cache_dir(options)),
        builds=[{"name": name, done: was_done} for name, was_done in changed.items()],
    )
    if busy:
        complaint = f"Another turnkey works on {', '.join(busy)}; try again later."
        print(f"turnkey: error: {complaint}", file=sys.stderr)
    return 1 if busy else 0


def _benchmark(options: argparse.Namespace, output: Output) -> int:
    from turnkeyml.api import make_plan
    from turnkeyml.display.listing import build_lines
    from turnkeyml.evaluate.remeasure import SKIP, measure_again

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
    found = {}
    folders = _select(options)
    _tell_damages(folders)
    for folder in folders:
        found[folder.name] = measure_again(folder, plan, options.skip)
        print("\n".join(build_lines(folder.name, found[folder.name])), flush=True)
    ok = all(e.ok for evaluations in found.values() for e in evaluations)
    builds = [{"name": name, "evaluations": found[name]} for name in found]
    output.hold(ok=ok, cache_dir=str(_cache_dir(options)), builds=builds)
    return 0 if ok else 1


def _report(options: argparse.Namespace, output: Output) -> int:
    from turnkeyml.report.table import write_csv

    folders = options.cache_dir or [environment.cache_dir()]
    caches = [Path(folder).expanduser() for folder in folders]
    for cache in caches:
        if not cache.is_dir():
            raise TurnkeyError(f"There is no cache at {cache}.")
        _tell_damages(build_folders(cache))
    path = write_csv(caches, Path(options.report_dir).expanduser())
    print(f"Summary spreadsheet saved at {path}")
    output.hold(caches=[str(cache) for cache in caches], report=str(path.absolute()))
    return 0


_ACTIONS: dict[str, Callable[[argparse.Namespace, Output], int]] = {
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


def _tell_damages(folders: list[BuildFolder]) -> None:
    """One sentence for each record that cannot be read; what was printed so far comes first."""
    sys.stdout.flush()
    for sentence in (sentence for folder in folders for sentence in damages(folder)):
        print(f"Warning: {sentence}", file=sys.stderr)


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
