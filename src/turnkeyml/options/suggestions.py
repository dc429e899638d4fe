"""Values that a shell offers for options. None of this imports torch or reads a build."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from turnkeyml import environment

Given = Mapping[str, Any]
"""The options that were typed before."""


def runtimes(prefix: str, given: Given) -> Iterator[str]:
    """The runtimes of the device that was given, or of all devices of this machine."""
    from turnkeyml.runtimes import all_runtimes, local_devices

    names = [given["device"]] if given.get("device") else [d.name for d in local_devices()]
    for device in names:
        for runtime in all_runtimes(device.partition("::")[0]):
            yield runtime.name


def devices(prefix: str, given: Given) -> Iterator[str]:
    """The devices that this machine may have."""
    from turnkeyml.runtimes import listed_names, local_devices

    for device in local_devices():
        yield from listed_names(device)


def sequences(prefix: str, given: Given) -> Iterator[str]:
    """The named sequences."""
    from turnkeyml.build import sequence_names

    yield from sequence_names()


def builds(prefix: str, given: Given) -> Iterator[str]:
    """The folders in the cache that was given, or in the default one."""
    chosen = given.get("cache_dir")
    cache = chosen if isinstance(chosen, str) else environment.cache_dir()
    for entry in _entries(os.path.expanduser(cache)):
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield entry.name


def inputs(prefix: str, given: Given) -> Iterator[str]:
    """Scripts, models and lists below the folder that is typed, and shipped models."""
    from turnkeyml.discover import is_input_name

    yield from (path for path in _paths(prefix) if path.endswith("/") or is_input_name(path))
    yield from models(prefix, given)


def models(prefix: str, given: Given) -> Iterator[str]:
    """The corpora, and the models of the one that is typed."""
    from turnkeyml.discover import shipped_corpora, shipped_names

    corpus, slash, _ = prefix.partition("/")
    names = shipped_corpora()
    if slash:
        if corpus in names:
            yield from shipped_names(corpus)
    else:
        yield from names
        yield from (f"{name}/" for name in names)


def files(prefix: str, given: Given) -> Iterator[str]:
    """The files and folders below the folder that is typed."""
    yield from _paths(prefix)


def folders(prefix: str, given: Given) -> Iterator[str]:
    """The folders below the folder that is typed."""
    yield from (path for path in _paths(prefix) if path.endswith("/"))


def _paths(prefix: str) -> Iterator[str]:
    """Files and folders that begin with what is typed, folders with a slash at their end."""
    folder, slash, name = prefix.rpartition("/")
    for entry in _entries(os.path.expanduser(f"{folder}{slash}") or "."):
        if entry.name.startswith(name) and (name.startswith(".") or entry.name[0] != "."):
            yield f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:  # nothing can be offered for a folder that cannot be read
        return []
