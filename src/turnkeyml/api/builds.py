"""List, read, delete and clean the builds in a cache, and measure them again."""

from __future__ import annotations

import fnmatch
import functools
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turnkeyml.api.plan import named_runtimes, plan_of
from turnkeyml.cache import (
    BuildFolder,
    BuildSummary,
    Progress,
    build_folders,
    read_state,
    read_stats,
    read_yaml,
    summaries,
    sweep_deleted,
)
from turnkeyml.errors import TurnkeyError, UsageError
from turnkeyml.nouns import BuildStatus, Evaluation, to_dict
from turnkeyml.options import CacheOptions, RemeasureOptions, SelectOptions, places_of, takes
from turnkeyml.runtimes import started_ahead

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class BuildStats:
    """The records of a build."""

    name: str
    state: dict[str, Any] | None
    """What was built, how, and with which status; None if it cannot be read."""
    stats: dict[str, Any]
    """Facts about the model, the build and its evaluations."""


@takes(CacheOptions)
def list_builds(**options: Unpack[CacheOptions]) -> list[str]:
    """The names of the builds in a cache, sorted."""
    return [folder.name for folder in build_folders(cache_of(options))]


@takes(CacheOptions)
def build_summaries(
    progress: Progress | None = None, **options: Unpack[CacheOptions]
) -> list[BuildSummary]:
    """What a list shows of each build in a cache, sorted by name.

    Only builds that changed since the last time are read, and ``progress`` is told of each.
    """
    cache_dir = cache_of(options)
    return summaries(build_folders(cache_dir), cache_dir, progress)


@takes(CacheOptions)
def build_stats(
    build_names: str | Iterable[str], **options: Unpack[CacheOptions]
) -> list[BuildStats]:
    """The state and the stats of builds; names may have wildcards."""
    return [
        BuildStats(folder.name, _state_of(folder), read_stats(folder))
        for folder in select_builds(build_names, cache_of(options))
    ]


@takes(SelectOptions)
def delete_builds(
    build_names: str | Iterable[str] = (), **options: Unpack[SelectOptions]
) -> dict[str, bool]:
    """Delete builds; by name, whether each was deleted. Builds in use are not deleted.

    ``older_than``, ``larger_than`` and ``failed`` leave out those that they do not apply to; they
    select from all builds if none is named.
    """
    sweep_deleted(cache_of(options))
    return _change(build_names, options, BuildFolder.delete)


@takes(SelectOptions)
def clean_builds(
    build_names: str | Iterable[str] = (), **options: Unpack[SelectOptions]
) -> dict[str, bool]:
    """Delete the artifacts of builds, not logs, state and stats; by name, whether each was cleaned.

    Builds in use are not cleaned.
    """
    return _change(build_names, options, BuildFolder.remove_artifacts)


def _change(
    build_names: str | Iterable[str],
    options: Mapping[str, Any],
    change: Callable[[BuildFolder], None],
) -> dict[str, bool]:
    if is_filtered(options):
        found = matching(build_names, options)
        folders = [BuildFolder(cache_of(options), build.name) for build in found]
    else:
        folders = select_builds(build_names, cache_of(options), options["all"])
    return {folder.name: folder.try_locked(partial(change, folder)) for folder in folders}


def is_filtered(options: Mapping[str, Any]) -> bool:
    """Whether settled options select builds by what they are, and not only by name."""
    limits = (options["older_than"], options["larger_than"])
    return bool(options["failed"]) or any(limit is not None for limit in limits)


def matching(build_names: str | Iterable[str], options: Mapping[str, Any]) -> list[BuildSummary]:
    """The builds with these names, or all, to which every filter in settled options applies."""
    cache_dir = cache_of(options)
    names = [build_names] if isinstance(build_names, str) else list(build_names)
    folders = select_builds(names, cache_dir, options["all"] or not names)
    oldest, least, now = options["older_than"], options["larger_than"], time.time()
    return [
        build
        for build in summaries(folders, cache_dir)
        if (oldest is None or now - build.used_at > oldest)
        and (least is None or build.size > least)
        and (build.failed or not options["failed"])
    ]


def cache_of(options: Mapping[str, Any]) -> Path:
    """The cache directory in settled options."""
    return Path(options["cache_dir"])


def select_builds(
    build_names: str | Iterable[str], cache_dir: Path, every: bool = False
) -> list[BuildFolder]:
    """The builds with these names or wildcards; only turnkey builds directly in the cache.

    ``{script}_{model hash}``, as older guides name a build, is every build of that model.
    """
    names = [build_names] if isinstance(build_names, str) else list(build_names)
    builds = {folder.name: folder for folder in build_folders(cache_dir)}
    if every and names:
        raise UsageError("Name builds or give --all, not both.")
    if every:
        return list(builds.values())
    if not names:
        raise UsageError("No build given; name builds or give --all.")
    chosen: dict[str, BuildFolder] = {}
    for name in names:
        if "/" in name or "\\" in name or name in ("", ".", ".."):
            raise UsageError(f"{name!r} is not a build name; build names contain no slashes.")
        found = [name] if name in builds else fnmatch.filter(builds, name)
        found = found or _of_model(name, builds)
        if not found:
            raise TurnkeyError(_no_build(name, builds, cache_dir))
        chosen.update({n: builds[n] for n in found})
    return list(chosen.values())


def _of_model(name: str, builds: Mapping[str, BuildFolder]) -> list[str]:
    """The builds of the model in ``{script}_{model hash}``, as older guides name builds."""
    model_hash = name.rpartition("_")[2]
    return [n for n in _of_script(name, builds) if _model_hash(builds[n]) == model_hash]


def _model_hash(folder: BuildFolder) -> str:
    return str(read_stats(folder).get("model_hash", ""))


def _of_script(name: str, builds: Iterable[str]) -> list[str]:
    """The builds whose names differ from this one in nothing but the hash."""
    if not re.fullmatch(r".+_[0-9a-f]{8}", name):
        return []
    return [n for n in builds if re.fullmatch(re.escape(name[:-8]) + "[0-9a-f]{8}", n)]


def _no_build(name: str, builds: Iterable[str], cache_dir: Path) -> str:
    """The message for a name that no build has, with those that may have been meant."""
    from difflib import get_close_matches

    near = _of_script(name, builds) or get_close_matches(name, list(builds), 3)
    hint = f"; did you mean {' or '.join(near[:3])}?" if near else "."
    return f"There is no build {name!r} in the cache {cache_dir}{hint}"


def _state_of(folder: BuildFolder) -> dict[str, Any] | None:
    """The state as its file has it; one that runs as it is known to be now."""
    data = read_yaml(folder.state)
    if not isinstance(data, dict):
        return None
    running = data.get("build_status") == BuildStatus.RUNNING
    state = read_state(folder) if running else None
    return data if state is None else {**data, **to_dict(state)}


WORKER = "turnkeyml.measure.worker"
"""What measures a build. It is named, not imported, as its interpreter may be another one."""


@takes(RemeasureOptions)
def remeasure(
    build_names: str | Iterable[str] = (),
    *,
    on_result: Callable[[str, list[Evaluation]], None] | None = None,
    on_warning: Callable[[str, str], None] | None = None,
    **options: Unpack[RemeasureOptions],
) -> dict[str, list[Evaluation]]:
    """Measure existing builds again; the evaluations by build name, empty if all were skipped.

    This needs neither the scripts nor torch. ``on_result`` is called with the name and the
    evaluations of a build as soon as they are known, ``on_warning`` with the name and a sentence
    before a build is measured whose files are not those that were built.
    """
    with started_ahead(places_of(options), named_runtimes(options), WORKER):
        from turnkeyml.evaluate import measure_again  # while they start

        plan = plan_of(options)
        found: dict[str, list[Evaluation]] = {}
        for folder in select_builds(build_names, cache_of(options), options["all"]):
            warn = functools.partial(on_warning, folder.name) if on_warning is not None else None
            found[folder.name] = measure_again(folder, plan, options["skip"], warn)
            if on_result is not None:
                on_result(folder.name, found[folder.name])
        return found
