"""Where a measuring worker runs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HERE", "Place", "answers_to", "label_of"]


@dataclass(frozen=True)
class Place:
    """An environment in which a worker measures; by default the one that turnkey runs in."""

    name: str = ""
    """How people call it; empty for turnkey's own. Measurements in two places are kept apart."""
    python: str = ""
    """The path of its interpreter."""


HERE = Place()


def label_of(runtime: str, python: str, precision: str) -> str:
    """The name of a contestant, for people.

    A name that begins with that of the runtime, such as ort-1.20, needs no other words.
    """
    name = runtime
    if python:
        name = python if python.startswith(f"{runtime}-") else f"{runtime} (python {python})"
    return f"{name} {precision}".rstrip()


def answers_to(wanted: str, runtime: str, python: str, precision: str) -> bool:
    """Whether somebody who writes ``wanted`` on the command line means this contestant."""
    names = [name for name in (runtime, python, label_of(runtime, python, "")) if name]
    full = [*names, *(f"{name} {precision}" for name in names)]
    return wanted.replace(" ", "-") in [name.replace(" ", "-") for name in full]
