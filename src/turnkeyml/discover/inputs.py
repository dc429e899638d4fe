"""Expanding input names, globs and lists to the files to evaluate."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from turnkeyml.discover import shipped
from turnkeyml.discover.labels import Values, matches, read_labels
from turnkeyml.discover.packaged import find_module, is_module_name
from turnkeyml.errors import UsageError
from turnkeyml.frameworks import frameworks
from turnkeyml.nouns import Input, split_hashes

LIST = ".txt"
"""The suffix of a text file with one input per line."""
DEEPEST = 20
"""How many lists may be around a list that they include."""


def find_inputs(names: Iterable[str], wanted: Values | None = None) -> list[Input]:
    """The input files that the names expand to, in order and without duplicates.

    With ``wanted``, only files with matching labels. Raises a usage error if a file is not found.
    """
    found: dict[tuple[str, str, tuple[str, ...]], Input] = {}
    done: set[str] = set()
    for name in names:
        for item in _expand(str(name), Path(), (), done):
            found.setdefault((os.path.abspath(item.path), item.module, item.targets), item)
    inputs = [_labelled(item) for item in found.values()]
    chosen = [item for item in inputs if matches(item.labels, wanted or {})]
    if inputs and not chosen:
        labels = " ".join(f"{key}={','.join(values)}" for key, values in (wanted or {}).items())
        raise UsageError(f"None of the {len(inputs)} input files has the labels {labels}.")
    return chosen


def suffixes() -> list[str]:
    """The suffixes of input files: scripts, model files of the frameworks, lists."""
    return [".py", *(f.suffix for f in frameworks() if f.suffix), LIST]


def is_input_name(path: str) -> bool:
    """Whether the suffix of a path is that of an input file."""
    return path.lower().endswith(tuple(suffixes()))


def _or(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _labelled(item: Input) -> Input:
    if not item.is_script:
        return item
    labels = read_labels(item.path)
    return replace(item, labels=labels.values, malformed_labels=labels.malformed)


def _expand(name: str, base: Path, lists: tuple[str, ...], done: set[str]) -> list[Input]:
    """The inputs that a name stands for, without those of lists that are ``done``.

    These would not add any, and lists that name each other twice would take for ever.
    """
    path, hashes = split_hashes(name, str(base))
    targets = tuple(h.strip() for h in (hashes or "").split(",") if h.strip())
    if hashes is not None and not targets:
        raise UsageError(f"{name}: the hash after '::' is missing.")
    if is_module_name(path):
        file, module = find_module(path)
        return [Input(file, targets, module=module)]
    files = _locate(path, base)
    if targets and (len(files) > 1 or glob.has_magic(path)):
        raise UsageError(f"{name}: hashes need a single file, not a wildcard.")
    inputs = []
    for file in files:
        if file.lower().endswith(LIST):
            inputs += _read_list(file, lists, done)
        else:
            inputs.append(Input(file, targets))
    return inputs


def _locate(path: str, base: Path) -> list[str]:
    plain = _resolve(path, base)
    if os.path.exists(plain):
        return [_check(plain)]
    for folder in (base, Path()):
        paths = sorted(glob.glob(str(folder / path), recursive=True))
        inputs = [p for p in paths if is_input_name(p) and os.path.isfile(p)]
        if inputs:
            return inputs
    return shipped.shipped_named(path) or _missing(path)


def did_you_mean(path: str) -> str:
    """A question that names what can be typed instead of an input that was not found, or nothing.

    Files that are named like it but for the suffix, or else the most similar file of its folder, or
    shipped models.
    """
    near = _with_another_suffix(path)
    if not near and is_input_name(path):
        stem = Path(path).stem.lower()
        like = [name for name in shipped.similar_names(path) if name.lower().endswith(f"/{stem}")]
        near = _misspelled(path) or like
    elif not near:
        near = shipped.similar_names(path)
    return f" Did you mean {_or([repr(name) for name in near])}?" if near else ""


def _missing(path: str) -> NoReturn:
    if glob.has_magic(path):
        like = f"*/{path}" if "/" not in path else ""
        hint = (
            f" For shipped models, write '{like}'." if like and shipped.shipped_named(like) else ""
        )
        raise UsageError(f"No {_or(suffixes())} file matches {path!r}.{hint}")
    raise UsageError(f"File not found: {path!r}.{did_you_mean(path)}")


def _with_another_suffix(path: str) -> list[str]:
    """The input files that are named like this one but for the suffix."""
    stem = os.path.splitext(path)[0] if is_input_name(path) else path
    return [file for file in (f"{stem}{suffix}" for suffix in suffixes()) if os.path.isfile(file)]


def _misspelled(path: str) -> list[str]:
    """The input file in the same folder whose name is most similar."""
    import difflib

    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        return []
    files = [file for file in os.listdir(folder or ".") if is_input_name(file)]
    return [os.path.join(folder, file) for file in difflib.get_close_matches(name, files, 1, 0.75)]


def _resolve(path: str, base: Path) -> str:
    """A path relative to the folder of its list, otherwise to the working directory."""
    beside = str(base / path) if path else path
    return beside if os.path.exists(beside) else path


def _check(path: str) -> str:
    if os.path.isdir(path):
        raise UsageError(f"{path!r} is a directory; name the files, for example '{path}/*.py'.")
    if not is_input_name(path):
        raise UsageError(f"{path!r} is not a {_or(suffixes())} file.")
    return path


def _read_list(file: str, above: tuple[str, ...], done: set[str]) -> list[Input]:
    absolute = os.path.abspath(file)
    if absolute in above:
        raise UsageError(f"The list {file!r} includes itself.")
    if len(above) == DEEPEST:
        raise UsageError(f"The list {file!r} is the last of {DEEPEST + 1} that include each other.")
    if absolute in done:
        return []
    inputs = []
    lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    for number, entry in enumerate(map(str.strip, lines), start=1):
        if not entry or entry.startswith("#"):
            continue
        try:
            inputs += _expand(entry, Path(file).parent, (*above, absolute), done)
        except UsageError as error:
            raise UsageError(f"{file}, line {number}: {error}") from None
    done.add(absolute)
    return inputs
