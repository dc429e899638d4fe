"""What ``turnkey cache delete`` and ``turnkey cache clean`` have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from turnkeyml.api import list_builds
from turnkeyml.cli.arguments import given
from turnkeyml.cli.damages import tell_damages
from turnkeyml.cli.output import Output, wants_json
from turnkeyml.options import ChangeOptions, Confirmation, settle

__all__ = ["change"]


def change(
    options: argparse.Namespace, verb: str, done: str, do: Callable[..., dict[str, bool]]
) -> int:
    """Let a function change builds; 1 if another turnkey works on one of them."""
    chosen = settle(ChangeOptions, given(options, ChangeOptions))
    where = {"cache_dir": chosen["cache_dir"]}
    names = getattr(options, "build_names", [])
    with Output(options.command, wants_json(options)) as output:
        if chosen["all"] and not names and _is_to_ask(options):
            names = list_builds(**where)
            # What was asked about is what is changed, whatever has come into the cache since.
            chosen["all"] = not names
            if names and not _agrees(f"{verb} all {len(names)} builds in {where['cache_dir']}? "):
                print("Nothing was changed.")
                output.set_content(ok=False, **where, builds=[])
                return 1
        tell_damages(names, where, chosen["all"])
        changed = do(names, **chosen)
        for name in (name for name, was_done in changed.items() if was_done):
            print(f"Info: Build {name} was {done}.")
        busy = [name for name, was_done in changed.items() if not was_done]
        builds = [{"name": name, done: was_done} for name, was_done in changed.items()]
        output.set_content(ok=not busy, **where, builds=builds)
    if busy:
        complaint = f"Another turnkey works on {', '.join(busy)}; try again later."
        print(f"turnkey: error: {complaint}", file=sys.stderr)
    return 1 if busy else 0


def _is_to_ask(options: argparse.Namespace) -> bool:
    certain = settle(Confirmation, given(options, Confirmation))["yes"]
    return not certain and sys.stdin.isatty() and sys.stdout.isatty()


def _agrees(question: str) -> bool:
    return input(question).strip().lower() in ("y", "yes")
