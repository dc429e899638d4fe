"""Put the files or builds of a command line in front of its options, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable

from turnkeyml.options import Option


def positionals_first(words: list[str], options: Iterable[Option]) -> list[str]:
    """The words after a command, with those that belong to no option in front.

    An option that takes several values ends before a word that can only be positional, such as
    ``x.py``. What follows ``--`` is positional as it is.
    """
    declared = list(options)
    if not any(option.positional for option in declared):
        return words
    words, after = _split(words)
    known = {s: o for o in declared if not o.positional for s in (o.spelling, o.short) if s}
    positional, rest = [], []
    while words:
        word = words.pop(0)
        if not _is_option(word):
            positional.append(word)
            continue
        rest.append(word)
        takes = _values(word, known.get(word), words, declared)
        rest += words[:takes]
        del words[:takes]
    return [*positional, *after, *rest]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """The words before ``--``, and those after it, which may begin with a hyphen."""
    if "--" not in words:
        return list(words), []
    place = words.index("--")
    after = [f"./{word}" if word.startswith("-") else word for word in words[place + 1 :]]
    return words[:place], after


def _values(word: str, option: Option | None, words: list[str], declared: list[Option]) -> int:
    """How many of the words that follow an option are its values."""
    if "=" in word or (option is not None and option.type is bool):
        return 0
    if option is not None and not option.nargs:
        return int(bool(words) and not _is_option(words[0]))
    recognise = [o.recognise for o in declared if o.positional and o.recognise]
    taken = 0
    for following in words:
        if _is_option(following) or any(is_one(following) for is_one in recognise):
            break
        taken += 1
    return taken


def _is_option(word: str) -> bool:
    """Whether argparse takes a word for an option, and not for a value or a negative number."""
    return len(word) > 1 and word[0] == "-" and " " not in word and not _NEGATIVE.match(word)


_NEGATIVE = re.compile(r"-\d+$|-\d*\.\d+$")
