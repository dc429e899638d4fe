"""Where a measuring worker runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """An environment in which a worker measures; by default the one that turnkey runs in."""

    name: str = ""
    """How people call its interpreter; empty for turnkey's own, or for the usual one of a host.
    Measurements in two places are kept apart."""
    python: str = ""
    """The path of its interpreter."""
    host: str = ""
    """The machine, as ssh takes it (user@machine); empty for this one."""
    host_name: str = ""
    """How people call the machine."""


HERE = Place()


def label_of(runtime: str, python: str, precision: str, host: str = "") -> str:
    """The name of a contestant, for people.

    A name that begins with that of the runtime, such as ort-1.20, needs no other words.
    """
    name = runtime
    words = []
    for kind, given in (("host", host), ("python", python)):
        if given.startswith(f"{runtime}-") and name == runtime:
            name = given
        elif given:
            words.append(f"{kind} {given}")
    if words:
        name = f"{name} ({', '.join(words)})"
    return f"{name} {precision}".rstrip()


def answers_to(wanted: str, runtime: str, python: str, precision: str, host: str = "") -> bool:
    """Whether somebody who writes ``wanted`` on the command line means this contestant."""
    label = label_of(runtime, python, "", host)
    names = [name for name in (runtime, python, host, label) if name]
    full = [*names, *(f"{name} {precision}" for name in names)]
    return wanted.replace(" ", "-") in [name.replace(" ", "-") for name in full]
