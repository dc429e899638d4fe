"""YAML as we write it: mappings with names, lists, text, numbers, booleans and null.

Nothing else is read. A few hundred bytes of aliases stand for billions of values, a tag may stand
for any type, and PyYAML's C composer ends the process on deeply nested text. So PyYAML only parses
here, and the data is put together from its events.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import yaml
from yaml.resolver import Resolver

from turnkeyml.nouns import DEEPEST, LARGEST, DamagedRecord

LONGEST_NUMBER = 100
"""Characters of a scalar that is not text."""

_WORDS: dict[str, dict[str, Any]] = {
    "tag:yaml.org,2002:null": {"null": None, "~": None, "": None},
    "tag:yaml.org,2002:bool": {"true": True, "false": False},
    "tag:yaml.org,2002:float": {
        ".inf": float("inf"),
        "-.inf": float("-inf"),
        ".nan": float("nan"),
    },
}
_NUMBERS: dict[str, Callable[[str], Any]] = {
    "tag:yaml.org,2002:int": lambda text: int(text, 0),
    "tag:yaml.org,2002:float": float,
}
_RESOLVERS = Resolver.yaml_implicit_resolvers


def parse(text: str) -> Any:
    """The plain data in a text; a ``YAMLError`` or ``DamagedRecord`` for anything else."""
    document = _Document()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        while (event := loader.get_event()) is not None:
            document.take(event)
    finally:
        loader.dispose()
    return document.content


class _Document:
    """Builds the data from events; keeps the containers that are still open."""

    def __init__(self) -> None:
        self.content: Any = None
        self._open: list[Any] = []
        self._names: list[str | None] = []
        """For each open container, the key whose value comes next."""
        self._documents = 0

    def take(self, event: yaml.Event) -> None:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._add(_scalar(event), event)
        elif kind is yaml.MappingStartEvent:
            self._begin({}, event)
        elif kind is yaml.SequenceStartEvent:
            self._begin([], event)
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            self._open.pop()
            self._names.pop()
        elif kind is yaml.AliasEvent:
            raise _refused("it has aliases, which we never write", event)
        elif kind is yaml.DocumentStartEvent:
            self._documents += 1
            if self._documents > 1:
                raise _refused("it has a second document", event)

    def _begin(self, container: Any, event: Any) -> None:
        if event.tag is not None:
            raise _refused("it has tags, which we never write", event)
        if len(self._open) == DEEPEST:
            raise _refused("it is nested too deeply", event)
        self._add(container, event)
        self._open.append(container)
        self._names.append(None)

    def _add(self, value: Any, event: yaml.Event) -> None:
        if not self._open:
            self.content = value
        elif isinstance(self._open[-1], list):
            self._open[-1].append(value)
        elif self._names[-1] is not None:
            self._open[-1][self._names[-1]] = value
            self._names[-1] = None
        elif isinstance(value, str):
            self._names[-1] = value
        else:
            raise _refused("a key is not a string", event)


def _scalar(event: Any) -> Any:
    """The value of a scalar as its writer meant it."""
    if event.tag is not None:
        raise _refused("it has tags, which we never write", event)
    text: str = event.value
    if event.implicit[0]:
        tag = _tag(text) if len(text) <= LONGEST_NUMBER else _find_tag(text)
        if tag is not None:
            return _value(tag, text, event)
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise _refused("it has lone surrogates", event)
    return text


def _find_tag(text: str) -> str | None:
    """The tag of a plain scalar that is not text."""
    found = _RESOLVERS.get(text[:1], ())
    return next((tag for tag, pattern in found if pattern.match(text)), None)


_tag = functools.lru_cache(maxsize=10_000)(_find_tag)
"""Remembers them: the records of many builds have the same names and words."""


def _value(tag: str, text: str, event: Any) -> Any:
    words = _WORDS.get(tag, {})
    if text in words:
        return words[text]
    if tag not in _NUMBERS or len(text) > LONGEST_NUMBER:
        raise _refused("a scalar is neither text nor a number", event)
    try:
        number = _NUMBERS[tag](text)
    except ValueError:
        raise _refused("a number has an unexpected notation", event) from None
    if isinstance(number, int) and abs(number) > LARGEST:
        raise _refused("a number is too large", event)
    return number


def _refused(problem: str, event: Any) -> DamagedRecord:
    return DamagedRecord(f"{problem} (line {event.start_mark.line + 1})")
