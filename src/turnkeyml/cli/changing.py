"""The part that ``turnkey cache delete`` and ``turnkey cache clean`` share."""

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
    """Change builds with a function; exit status 1 if another process is using one of them."""
    chosen = settle(ChangeOptions, given(options, ChangeOptions))
    where = {"cache_dir": chosen["cache_dir"]}
    names = getattr(options, "build_names", [])
    with Output(options.command, wants_json(options)) as output:
        if chosen["all"] and not names and _must_confirm(options):
            names = list_builds(**where)
            # Change exactly the builds that the question counts, not those that came after it.
            chosen["all"] = not names
            if names and not _confirms(f"{verb} all {len(names)} builds in {where['cache_dir']}? "):
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
        complaint = f"Another turnkey process is using {', '.join(busy)}; try again later."
        print(f"turnkey: error: {complaint}", file=sys.stderr)
    return 1 if busy else 0


def _must_confirm(options: argparse.Namespace) -> bool:
    confirmed = settle(Confirmation, given(options, Confirmation))["yes"]
    return not confirmed and sys.stdin.isatty() and sys.stdout.isatty()


def _confirms(question: str) -> bool:
    return input(question).strip().lower() in ("y", "yes")
