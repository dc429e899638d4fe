"""Labels: keys and values in a comment on the first line of a script.

# labels: name=bert author=google task=question_answering,translation

The older ``name::bert`` means the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from turnkeyml.errors import UsageError
from turnkeyml.nouns import split_pair

_PRAGMA = re.compile(r"^\ufeff?#\s*labels\b\s*:?\s*(.*)$")

Values = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Labels:
    """The labels of a script, and the malformed words in its labels comment."""

    values: Values
    malformed: tuple[str, ...] = ()


def read_labels(path: str) -> Labels:
    """The labels of a script; empty if it has no labels comment."""
    with open(path, encoding="utf-8", errors="replace") as file:
        found = _PRAGMA.match(file.readline().rstrip())
    values: Values = {}
    malformed = []
    for word in found.group(1).split() if found else []:
        label = _parse(word)
        if label is None:
            malformed.append(word)
        else:
            values[label[0]] = (*values.get(label[0], ()), *label[1])
    return Labels(values, tuple(malformed))


def parse_filter(words: Iterable[str]) -> Values:
    """The filter that ``--labels`` defines: every key must have one of its values."""
    wanted: Values = {}
    for word in words:
        label = _parse(word)
        if label is None:
            raise UsageError(f"A label must be key=value or key=value1,value2, not {word!r}.")
        wanted[label[0]] = (*wanted.get(label[0], ()), *label[1])
    return wanted


def matches(labels: Values, wanted: Values) -> bool:
    """Whether a script has every wanted key with at least one of the wanted values."""
    return all(set(labels.get(key, ())) & set(values) for key, values in wanted.items())


def _parse(word: str) -> tuple[str, tuple[str, ...]] | None:
    key, separator, rest = split_pair(word)
    values = tuple(value for value in rest.split(",") if value)
    return (key, values) if separator and key and values else None
