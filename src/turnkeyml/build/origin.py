"""Which code is the user's own: the script, what lies beside it, and editable installs.

What a package manager installed is a library, however the interpreter finds it: in an environment,
in the user's site, in Debian's dist-packages, in a folder of PYTHONPATH or in another environment.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from pathlib import Path

_INSTALL_FOLDERS = frozenset({"site-packages", "dist-packages"})
_STANDARD_LIBRARY = frozenset(
    os.path.realpath(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib")
)
_OURS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_FRAMEWORKS = ("torch", "numpy", "onnx", "onnxruntime")
"""Packages that are libraries even if they run from a checkout of their source code."""


def is_users_file(path: str) -> bool:
    """Whether a file of Python code is the user's own, and not of an installed package."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    if main is not None and os.path.abspath(main) == path:
        return True
    return not path.startswith("<") and not _is_library(path, tuple(sys.path))


@functools.lru_cache(maxsize=1 << 14)
def _is_library(path: str, search: tuple[str, ...]) -> bool:
    """Whether a file belongs to the standard library, to us or to an installed package."""
    seen, real = _folders(os.path.abspath(path)), _folders(os.path.realpath(path))
    names = {os.path.basename(folder) for folder in (*seen, *real)}
    if not names.isdisjoint(_INSTALL_FOLDERS):
        return True
    if not _STANDARD_LIBRARY.union(_framework_folders(), [_OURS]).isdisjoint(real):
        return True
    roots = {os.path.abspath(folder) for folder in search}
    return any(
        os.path.relpath(place, root).split(os.sep)[0].partition(".")[0] in _installed(root)
        for folders, place in ((seen, os.path.abspath(path)), (real, os.path.realpath(path)))
        for root in roots.intersection(folders)
    )


def _folders(path: str) -> list[str]:
    """The folders that a file lies in, innermost first."""
    return [str(folder) for folder in Path(path).parents]


def _framework_folders() -> set[str]:
    files = [getattr(sys.modules.get(name), "__file__", None) for name in _FRAMEWORKS]
    return {os.path.dirname(os.path.realpath(file)) for file in files if file}


@functools.lru_cache(maxsize=256)
def _installed(root: str) -> frozenset[str]:
    """The top-level names that distributions have installed in a folder of ``sys.path``.

    An editable install leaves nothing but its metadata, or its code is not in that folder.
    """
    found: set[str] = set()
    try:
        for record in Path(root).glob("*.dist-info/RECORD"):
            lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
            found.update(line.partition("/")[0].partition(",")[0] for line in lines)
        for listed in Path(root).glob("*.egg-info/installed-files.txt"):
            top = listed.with_name("top_level.txt")
            found.update(top.read_text(encoding="utf-8").split() if top.exists() else ())
    except OSError:
        return frozenset()
    return frozenset(name.partition(".")[0] for name in found if not name.endswith(".dist-info"))
