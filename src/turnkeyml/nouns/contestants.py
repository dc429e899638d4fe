"""Who is the same contestant: what distinguishes the measurements of one build."""

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
