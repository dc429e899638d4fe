"""This package as a file that can be sent to another machine."""

from __future__ import annotations

import functools
import hashlib
import io
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent.parent
_LEFT_OUT = "models"
"""Thousands of scripts, which no worker needs."""


@functools.cache
def digest() -> str:
    """A hash of the Python files."""
    found = hashlib.sha256()
    for name, content in _files():
        found.update(f"{name} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()


def archive() -> bytes:
    """The Python files, as a zip file."""
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in _files():
            made.writestr(name, content)
    return file.getvalue()


def _files() -> list[tuple[str, bytes]]:
    paths = sorted(_FOLDER.rglob("*.py"))
    names = [path.relative_to(_FOLDER) for path in paths]
    return [
        (f"turnkeyml/{name.as_posix()}", path.read_bytes())
        for name, path in zip(names, paths, strict=True)
        if name.parts[0] != _LEFT_OUT
    ]
