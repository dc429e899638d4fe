"""The identity of a contestant: build, runtime, precision and the place that it is measured in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ContestantKey:
    """A runtime, a precision and a place, at a point of a sweep and under a load.

    The store, the skip policies and comparisons tell measurements apart by it.
    """

    device_type: str = ""
    runtime: str = ""
    python: str = ""
    """The name of the interpreter; empty for turnkey's own."""
    host: str = ""
    """The name of the machine; empty for that of turnkey."""
    precision: str = ""
    """Empty for a failure so early that it was not known."""
    load: str = ""
    """The pattern of the load; empty for one run at a time."""
    point: tuple[tuple[str, str], ...] = ()
    """The parameters of the sweep."""

    @classmethod
    def of(cls, evaluation: Mapping[str, Any]) -> ContestantKey:
        """The key of an evaluation as it is recorded."""
        names = ("device_type", "runtime", "python", "host", "precision")
        known = {name: str(evaluation.get(name) or "") for name in names}
        load, point = evaluation.get("under_load"), evaluation.get("parameters")
        return cls(
            **known,
            load=str(load.get("pattern") or "") if isinstance(load, Mapping) else "",
            point=point_of(point) if isinstance(point, Mapping) else (),
        )

    def stands_for(self, other: ContestantKey) -> bool:
        """Whether both answer the same question: a failure without precision stands for any."""
        alike = not self.precision or not other.precision or self.precision == other.precision
        mine = (self.device_type, self.runtime, self.python, self.host, self.load, self.point)
        theirs = (other.device_type, other.runtime, other.python, other.host)
        return alike and mine == (*theirs, other.load, other.point)


def point_of(parameters: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The parameters of a sweep in an order of their own."""
    return tuple(sorted((str(name), str(value)) for name, value in parameters.items()))


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
