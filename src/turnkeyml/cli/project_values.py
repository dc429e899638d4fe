"""Values of options as a TOML file has them: their types, and paths relative to the file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ForwardRef, get_args, get_origin

from turnkeyml.options import Option


def fits(option: Option, value: Any) -> bool:
    """Whether a value has a type that the option takes."""
    kinds = _kinds(option)
    if isinstance(value, bool) or bool in kinds:
        return isinstance(value, bool) and bool in kinds
    if isinstance(value, int):
        return int in kinds or float in kinds
    if isinstance(value, list):
        return Iterable in kinds and all(isinstance(one, str) for one in value)
    if isinstance(value, dict):
        return Mapping in kinds
    return type(value) in kinds


def expected(option: Option) -> str:
    """What the option takes, in words."""
    words = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        Iterable: "a list of texts",
        Mapping: "a table",
    }
    found = [text for kind, text in words.items() if kind in _kinds(option)]
    return " or ".join(found)


def placed(option: Option, value: Any, folder: Path) -> Any:
    """The value with paths relative to the folder of its file, not to the working folder."""
    kinds = _kinds(option)
    if os.PathLike not in kinds or Mapping in kinds:
        return value
    if isinstance(value, list):
        return [_path(one, folder) for one in value]
    return _path(value, folder)


def _path(value: Any, folder: Path) -> Any:
    return str(folder / os.path.expanduser(value)) if isinstance(value, str) else value


def _kinds(option: Option) -> set[Any]:
    """The types of an option without their parameters; a text for one that is not evaluated."""
    kinds = get_args(option.type) or (option.type,)
    return {
        str if isinstance(kind, (str, ForwardRef)) else get_origin(kind) or kind for kind in kinds
    }
