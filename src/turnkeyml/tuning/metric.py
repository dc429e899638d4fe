"""A metric of the user's: a function in a file that gets a model and returns a number."""

from __future__ import annotations

import ast
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache import measurement_log, worker_request, write_json
from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.evaluate import FileContestant
from turnkeyml.measure import METRIC, MetricRequest
from turnkeyml.nouns import to_dict
from turnkeyml.tuning.right import MetricLimit


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
