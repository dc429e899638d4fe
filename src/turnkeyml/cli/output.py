"""``--json``: one document on standard output, everything else, damage too, on standard error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any

from turnkeyml.api import cache_of, select_builds
from turnkeyml.cache import damages
from turnkeyml.display import flush_streams, print_errors, write_document


class Output:
    """Redirects standard output to standard error while it is open, if JSON is wanted.

    The redirection includes scripts and their child processes.
    """

    def __init__(self, command: str, wanted: bool) -> None:
        self._command = command
        self._wanted = wanted
        self._document: dict[str, Any] | None = None
        self._original = -1
        self._stdout = sys.stdout

    def __enter__(self) -> Output:
        if self._wanted:
            flush_streams()
            self._original, self._stdout = os.dup(1), sys.stdout
            os.dup2(2, 1)
            sys.stdout = sys.stderr
        return self

    def set_content(self, *, ok: bool = True, **content: Any) -> None:
        """Set the content of the document that is printed when the command is done."""
        if self._wanted:
            from turnkeyml.report import make_document

            self._document = make_document(self._command, ok=ok, **content)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._wanted:
            return
        flush_streams()
        sys.stdout = self._stdout
        os.dup2(self._original, 1)
        os.close(self._original)
        if error is None and self._document is not None:
            from turnkeyml.report import to_json

            write_document(to_json(self._document))


def wants_json(options: argparse.Namespace) -> bool:
    """Whether ``--json`` was given."""
    from turnkeyml.cli.arguments import given
    from turnkeyml.options import JsonView, settle

    return bool(settle(JsonView, given(options, JsonView))["json"])


def print_error(words: list[str], message: str) -> None:
    """Print the document of a command that ended with an error."""
    from turnkeyml.cli.parser import COMMANDS
    from turnkeyml.report import make_document, to_json

    command = words[0] if words[0] in COMMANDS else "benchmark"
    actions = COMMANDS[command]
    if isinstance(actions, dict):
        command = " ".join([command, *(word for word in words[1:2] if word in actions)])
    write_document(to_json(make_document(command, ok=False, error=message)))


def tell_damages(
    build_names: str | Iterable[str], options: Mapping[str, Any], every: bool = False
) -> None:
    """Print a sentence for each record of the builds that cannot be read."""
    for folder in select_builds(build_names, cache_of(options), every):
        for sentence in damages(folder):
            print_errors(f"Warning: {sentence}")
