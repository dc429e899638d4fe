"""docs/workarounds.md, made from the entries."""

from __future__ import annotations

from types import ModuleType

from turnkeyml.workarounds import GROUPS
from turnkeyml.workarounds.workaround import Workaround

__all__ = ["page"]

_BEGINNING = """\
<!-- Made by `python -m turnkeyml.workarounds`; edit src/turnkeyml/workarounds instead. -->

# Workarounds

Bugs and gaps in other packages that turnkeyml works around. Each has a reproduction in
`tests/reproductions` that uses the other package alone. `tests/test_workarounds.py` fails once an
installed version is mended: then remove the workaround, or, while older versions are supported,
state in its entry (`until`) which version mends it.

*Seen in* are the oldest and the newest version in which the reproduction was run and showed the
bug, not all versions that have it. *Upstream* is a report or a change that describes the bug;
where it says *related*, one that describes something near.
"""


def page() -> str:
    """The page as Markdown."""
    sections = (_section(title, group) for title, group in GROUPS.items())
    return "\n".join([_BEGINNING, *sections])


def _section(title: str, group: ModuleType) -> str:
    entries = [value for value in vars(group).values() if isinstance(value, Workaround)]
    return "\n".join([f"## {title}", "", *(_entry(entry) for entry in entries)])


def _entry(entry: Workaround) -> str:
    module, _, name = entry.where.partition(":")
    lines = [
        f"**{entry.id}.** {entry.wrong} {entry.remedy}",
        "",
        f"* Code: `{name}` in `{module}`",
        f"* Seen in: {_versions(entry)}",
        f"* Upstream: {_upstream(entry)}",
        "",
    ]
    return "\n".join(lines)


def _versions(entry: Workaround) -> str:
    oldest, newest = entry.seen
    seen = oldest if oldest == newest else f"{oldest} to {newest}"
    mended = f"; mended in {entry.until}" if entry.until else ""
    return f"{entry.package} {seen}{mended}"


def _upstream(entry: Workaround) -> str:
    known = [f"<{entry.upstream}>"] if entry.upstream else []
    near = [f"related: <{entry.related}>"] if entry.related else []
    return "; ".join([*known, *near]) or "none that we know of"
