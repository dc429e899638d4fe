"""The earlier evaluations of a build: every one that a later one took the place of."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from turnkeyml.cache.damaged import DamagedFile
from turnkeyml.cache.files import MOST_BYTES, open_regular, replacing, set_aside
from turnkeyml.cache.layout import BuildFolder


def read_history(folder: BuildFolder) -> list[Any]:
    """The earlier evaluations of a build, the oldest first, as they were recorded.

    One that cannot be read is None, so that a reader can say that something is missing.
    """
    try:
        lines = _content(folder).splitlines()
    except DamagedFile:
        return [None]
    return [_parsed(line) for line in lines if line.strip()]


def add_history(folder: BuildFolder, evaluations: Iterable[Any]) -> None:
    """Keep evaluations that are about to be replaced. Needs the build's lock.

    A history that cannot be read is set aside, not overwritten.
    """
    lines = [json.dumps(evaluation).encode() + b"\n" for evaluation in evaluations]
    if not lines:
        return
    try:
        before = _content(folder)
    except DamagedFile as error:
        if error.may_be_whole:
            raise
        set_aside(folder.history)
        before = b""
    with replacing(folder.history) as temporary:
        temporary.write_bytes(before + b"".join(lines))


def take_from_history(folder: BuildFolder, evaluations: Iterable[Any]) -> None:
    """Remove evaluations that are current again. Needs the build's lock."""
    lines = {json.dumps(evaluation).encode() for evaluation in evaluations}
    kept = [line for line in _content(folder).splitlines() if line not in lines]
    with replacing(folder.history) as temporary:
        temporary.write_bytes(b"".join(line + b"\n" for line in kept))


def _content(folder: BuildFolder) -> bytes:
    """All lines; none if there is no history yet."""
    try:
        handle = open_regular(folder.history)
    except FileNotFoundError:
        return b""
    try:
        with os.fdopen(handle, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DamagedFile(folder.history, error.strerror or str(error), error) from None
    if len(content) > MOST_BYTES:
        raise DamagedFile(folder.history, f"it has more than {MOST_BYTES // 10**6} MB")
    return content


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
