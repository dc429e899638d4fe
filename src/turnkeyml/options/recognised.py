"""Words that are inputs, builds or sides of a comparison wherever they stand.

An option that takes several values ends before such a word: ``--runtime ort x.py``.
"""

from __future__ import annotations

import glob
import os
import re

from turnkeyml.nouns import split_hashes


def is_input(word: str) -> bool:
    """Whether a word is a file to evaluate, a wildcard for some, a shipped model or a module."""
    path, _ = split_hashes(word)
    if word.startswith("-m "):
        return True
    if "=" in path and not os.path.exists(path):
        return False
    from turnkeyml.discover import is_input_name

    return is_input_name(path) or (glob.has_magic(path) and "/" in path) or is_model(path)


def is_model(word: str) -> bool:
    """Whether a word is a shipped model, a corpus or a wildcard for some."""
    from turnkeyml.discover import shipped_corpora, shipped_named

    return word in shipped_corpora() or ("/" in word and bool(shipped_named(word)))


def is_build(word: str) -> bool:
    """Whether a word is a build name with its hash, or a wildcard."""
    return bool(re.fullmatch(r"[^=]+_[0-9a-f]{8}", word)) or ("=" not in word and "*" in word)


def is_side(word: str) -> bool:
    """Whether a word is something on disk that can be compared."""
    return os.path.exists(word) or (glob.has_magic(word) and "/" in word)
