"""YAML as we write it: no aliases, no tags, bounded nesting.

A few hundred bytes of aliases stand for billions of values, and PyYAML's C composer ends the
process on deeply nested text. Here C parses, and Python composes and refuses.
"""

from __future__ import annotations

from typing import Any

import yaml
from yaml.composer import Composer, ComposerError
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from turnkeyml.nouns.plain import DEEPEST, check_plain

__all__ = ["parse"]

LONGEST_NUMBER = 100
"""Characters of anything that is no text."""


def parse(text: str) -> Any:
    """The plain data in a text; a ``YAMLError`` or ``ValueError`` for anything else."""
    loader = _Loader(text)
    try:
        data = loader.get_single_data()
    finally:
        loader.dispose()
    check_plain(data)
    return data


_Parser: Any = getattr(yaml, "CParser", None)
if _Parser is None:
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class _Parser(Reader, Scanner, Parser):  # type: ignore[no-redef]
        def __init__(self, text: str) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)


class _Loader(Composer, _Parser, SafeConstructor, Resolver):  # type: ignore[misc]
    """Composes what the parser sees, as long as it is plain."""

    def __init__(self, text: str) -> None:
        _Parser.__init__(self, text)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)
        self._levels = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        if self.check_event(yaml.AliasEvent):
            self._refuse("it has aliases, which we never write", event)
        if event.tag is not None:
            self._refuse("it has tags, which we never write", event)
        if self._levels == DEEPEST:
            self._refuse("it is nested too deeply", event)
        self._levels += 1
        node = super().compose_node(parent, index)
        self._levels -= 1
        if isinstance(node, yaml.ScalarNode):
            self._check(node, event)
        return node

    def _check(self, node: yaml.ScalarNode, event: Any) -> None:
        if not node.tag.endswith(":str") and len(node.value) > LONGEST_NUMBER:
            self._refuse("one of its numbers is too long", event)  # reading it takes for ever
        try:
            node.value.encode()
        except UnicodeEncodeError:
            self._refuse("it has halves of characters", event)

    def _refuse(self, problem: str, event: Any) -> None:
        raise ComposerError(None, None, problem, event.start_mark)
