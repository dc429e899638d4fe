"""The part that ``turnkey cache delete`` and ``turnkey cache clean`` share."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from turnkeyml.api import is_filtered, list_builds, matching
from turnkeyml.cache import BuildFolder, BuildSummary, disk_bytes
from turnkeyml.cli.arguments import given
from turnkeyml.cli.output import Output, tell_damages, wants_json
from turnkeyml.display import build_table, in_terminal, print_errors, print_lines, size_in_words
from turnkeyml.errors import UsageError
from turnkeyml.escaping import one_line
from turnkeyml.options import Confirmation, SelectOptions, settle

SHOWN = 20
"""Lines of builds that a question shows before it counts the rest."""


def change(
    options: argparse.Namespace, verb: str, done: str, do: Callable[..., dict[str, bool]]
) -> int:
    """Change builds with a function; exit status 1 if another process is using one of them."""
    chosen = settle(SelectOptions, given(options, SelectOptions))
    where = {"cache_dir": chosen["cache_dir"]}
    named = getattr(options, "build_names", [])
    with Output(options.command, wants_json(options)) as output:
        try:
            names = _confirmed(options, named, chosen, verb)
        except _Refusal as refusal:
            print_lines(str(refusal))
            output.set_content(ok=refusal.ok, **where, builds=[])
            return 0 if refusal.ok else 1
        # Change exactly the builds that the question counts, not those that came after it.
        chosen = {**where, "all": chosen["all"] and names == named}
        tell_damages(names, where, chosen["all"])
        changed = do(names, **chosen)
        for name in (name for name, was_done in changed.items() if was_done):
            print_lines(f"Info: Build {name} was {done}.")
        busy = [name for name, was_done in changed.items() if not was_done]
        builds = [{"name": name, done: was_done} for name, was_done in changed.items()]
        output.set_content(ok=not busy, **where, builds=builds)
    if busy:
        complaint = f"Another turnkey process is using {', '.join(busy)}; try again later."
        print_errors(f"turnkey: error: {complaint}")
    return 1 if busy else 0


class _Refusal(Exception):
    """Nothing is changed, and why."""

    def __init__(self, why: str, ok: bool = False) -> None:
        super().__init__(why)
        self.ok = ok


def _confirmed(
    options: argparse.Namespace, names: list[str], chosen: dict[str, Any], verb: str
) -> list[str]:
    """The names of the builds to change; none for all of them. Raises if nobody agrees."""
    confirmed = settle(Confirmation, given(options, Confirmation))["yes"]
    if is_filtered(chosen):
        builds = matching(names, chosen)
        if not builds:
            raise _Refusal("No build matches; nothing was changed.", ok=True)
        if not confirmed:
            _ask_about(builds, chosen["cache_dir"], verb)
        return [build.name for build in builds]
    if chosen["all"] and not names and not confirmed and _in_terminal():
        names = list_builds(cache_dir=chosen["cache_dir"])
        if names:
            _ask(f"{verb} all {len(names)} builds in {chosen['cache_dir']}? ")
    return names


def _ask_about(builds: list[BuildSummary], cache_dir: str, verb: str) -> None:
    """Show builds and ask whether to change them."""
    if not _in_terminal():
        count = f"{len(builds):,} build{'s' * (len(builds) != 1)}"
        raise UsageError(
            f"{verb} {count} in {cache_dir}? Without a terminal to ask in, this needs --yes."
        )
    width = shutil.get_terminal_size().columns
    print_lines(*build_table(builds[:SHOWN], width))
    if len(builds) > SHOWN:
        print_lines(f"… and {len(builds) - SHOWN:,} more")
    size = size_in_words(disk_bytes([BuildFolder(Path(cache_dir), b.name) for b in builds]))
    what = "this build" if len(builds) == 1 else f"these {len(builds):,} builds"
    _ask(f"{verb} {what} ({size}) in {cache_dir}? [y/N] ")


def _in_terminal() -> bool:
    return in_terminal("stdin") and in_terminal()


def _ask(question: str) -> None:
    """Raise unless the answer is yes."""
    try:
        answer = input(one_line(question))
    except EOFError:
        answer = ""
        print_lines("")
    if answer.strip().lower() not in ("y", "yes"):
        raise _Refusal("Nothing was changed.")
