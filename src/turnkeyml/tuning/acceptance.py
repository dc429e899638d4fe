"""What counts as right: the verdict, a tolerance on errors, or a metric of the user's."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache import measurement_log, worker_request, write_json
from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.evaluate import FileContestant
from turnkeyml.measure import METRIC, MetricRequest
from turnkeyml.nouns import OutputErrors, Verdict, Verification, to_dict

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


@dataclass(frozen=True)
class Measured:
    """What a metric returned, and the least value that its file asks for."""

    value: float
    minimum: float | None


def check_metric(path: str) -> None:
    """Raise a usage error unless a file defines a metric; nothing of it is run."""
    try:
        tree = ast.parse(Path(path).read_bytes(), path)
    except OSError as error:
        raise UsageError(f"The metric {path!r} cannot be read: {error.strerror}.") from None
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"The metric {path!r} is not a Python file: {error}.") from None
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    if METRIC not in defined:
        raise UsageError(
            f"The file {path!r} has no function {METRIC}(run); it gets a function from inputs by "
            "name to outputs by name, and returns a number, the higher the better."
        )


def measure_metric(file: str, contestant: FileContestant) -> Measured:
    """The metric of a configuration, from a process of its own."""
    folder = contestant.folder
    folder.mkdir(parents=True, exist_ok=True)
    path, log = worker_request(folder), measurement_log(folder)
    write_json(path, to_dict(MetricRequest(contestant.worker_request(), str(Path(file).resolve()))))
    with log.open("ab") as errors:
        done = subprocess.run(
            interpreter.command("turnkeyml.measure.metric", str(path)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    if done.returncode != 0:
        lines = log.read_text("utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        raise MeasureError(f"The metric {file} failed: {last} (see {log})")
    found = json.loads(done.stdout)
    return Measured(found["value"], found["minimum"])


def limit_of(default: Measured, drop: float) -> MetricLimit:
    """The least value that is right: that of the file, else a little below the default's."""
    if default.minimum is not None:
        return MetricLimit(float(default.minimum), "the minimum in its file")
    least = default.value - drop * abs(default.value)
    return MetricLimit(least, f"{drop:.3g} less than the default's {default.value:.6g}")
