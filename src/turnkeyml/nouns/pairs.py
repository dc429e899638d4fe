"""A key and a value as people write them."""

from __future__ import annotations

import re

__all__ = ["split_pair"]

_SEPARATOR = re.compile(r"=|::")


def split_pair(word: str) -> tuple[str, str, str]:
    """The key, the separator and the value of ``key=value`` or of the older ``key::value``.

    The first separator counts, so that a value may contain both. Without one, all is the key.
    """
    found = _SEPARATOR.search(word)
    if found is None:
        return word, "", ""
    return word[: found.start()], found[0], word[found.end() :]
