"""Pairs as people write them: a key and a value, a file and the hashes of its models."""

from __future__ import annotations

import os
import re

HASHES = "::"
"""Between a file and the hashes of its models."""

_SEPARATOR = re.compile(r"=|::")


def split_pair(word: str) -> tuple[str, str, str]:
    """The key, the separator and the value of ``key=value`` or of the older ``key::value``.

    The first separator counts, so that a value may contain both. Without one, all is the key.
    """
    found = _SEPARATOR.search(word)
    if found is None:
        return word, "", ""
    return word[: found.start()], found[0], word[found.end() :]


def split_hashes(word: str, folder: str = "") -> tuple[str, str | None]:
    """The file and the hashes of ``FILE::HASH,HASH``; None for a file alone.

    The name of a file may contain the separator too: a file that exists, also relative to
    ``folder``, wins over the reading as hashes.
    """

    def exists(path: str) -> bool:
        return os.path.exists(path) or os.path.exists(os.path.join(folder, path))

    if HASHES not in word or exists(word):
        return word, None
    path, _, hashes = word.rpartition(HASHES)
    if not exists(path):
        path, _, hashes = word.partition(HASHES)
    return path, hashes
