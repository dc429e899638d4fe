"""What counts as right: the verdict, a tolerance on errors, or a metric of the user's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from turnkeyml.errors import UsageError
from turnkeyml.nouns import OutputErrors, Verdict, Verification

_PATTERN = re.compile(
    r"(cosine|sqnr|relative)\s*(>=|<=)\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)\s*(dB|%)?", re.I
)
_DIRECTIONS = {"cosine": ">=", "sqnr": ">=", "relative": "<="}
_UNITS = {"cosine": "", "sqnr": "dB", "relative": "%"}
_MOST = {"cosine": 1.0, "sqnr": 300.0, "relative": 1.0}
"""Beyond these, no outputs that are worth comparing are told apart."""


@dataclass(frozen=True)
class Tolerance:
    """A limit on one of the errors."""

    figure: str
    """cosine, sqnr or relative."""
    limit: float

    def __str__(self) -> str:
        return f"{self.figure}{_DIRECTIONS[self.figure]}{self.limit:g}{'dB' * self.is_decibels}"

    @property
    def is_decibels(self) -> bool:
        return self.figure == "sqnr"

    def why_wrong(self, errors: OutputErrors) -> str | None:
        """Why outputs with these errors are not accepted; None if they are."""
        value = float(getattr(errors, self.figure))
        good = value <= self.limit if self.figure == "relative" else value >= self.limit
        if good:
            return None
        number = f"{value:.1f} dB" if self.is_decibels else f"{value:.6g}"
        return f"{self.figure} {number}, and {self} was asked for"


@dataclass(frozen=True)
class MetricLimit:
    """The least value of the user's metric."""

    least: float
    origin: str
    """Where it comes from, in words."""

    def why_wrong(self, value: float) -> str | None:
        """Why a value is not accepted; None if it is."""
        if value >= self.least:
            return None
        return f"metric {value:.6g}, below {self.least:.6g} ({self.origin})"


def parse_tolerance(text: str) -> Tolerance:
    """The tolerance in ``cosine>=0.999``, ``sqnr>=30dB`` or ``relative<=0.01``."""
    found = _PATTERN.fullmatch(text.strip())
    figure = found[1].lower() if found else ""
    unit = (found[4] or "") if found else ""
    fits = figure and found and found[2] == _DIRECTIONS[figure]
    if not found or not fits or unit.lower() not in ("", _UNITS[figure].lower()):
        raise UsageError(
            f"The tolerance must be cosine>=0.999, sqnr>=30dB or relative<=0.01, with any number, "
            f"not {text!r}."
        )
    limit = float(found[3]) / (100 if unit == "%" else 1)
    if not 0 <= limit <= _MOST[figure]:
        raise UsageError(
            f"The tolerance {text!r} accepts everything or nothing: {figure} is between 0 and "
            f"{_MOST[figure]:g}{_UNITS[figure] if figure == 'sqnr' else ''}."
        )
    return Tolerance(figure, limit)


def why_wrong(
    verification: Verification | None, errors: OutputErrors | None, tolerance: Tolerance | None
) -> str | None:
    """Why outputs are not right; None if they are.

    Without a tolerance, or where errors say nothing because the original does not repeat its own
    results, the verdict decides.
    """
    if tolerance is not None and errors is not None:
        return tolerance.why_wrong(errors)
    if verification is None:
        return "its outputs were not verified"
    if verification.trusted or verification.verdict is Verdict.SPECIALISED:
        return None
    return f"{verification.verdict}: {verification.reason}"
