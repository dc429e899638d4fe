"""Run a user's metric on one configuration of a build, in a process of its own.

Its imports and its data are not those of the process that is timed.
"""

from __future__ import annotations

import json
import math
import runpy
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from turnkeyml.cache import BuildFolder, load_arrays
from turnkeyml.errors import MeasureError
from turnkeyml.interpreter import die_with_parent
from turnkeyml.measure.session import open_session
from turnkeyml.measure.worker import WorkerRequest, claim_streams
from turnkeyml.nouns import from_dict
from turnkeyml.runtimes import find_runtime

if TYPE_CHECKING:
    from turnkeyml.runtimes import Session

METRIC = "metric"
"""The function that the file defines."""
MINIMUM = "minimum"
"""The number that it may define, below which a configuration is not right."""


@dataclass(frozen=True)
class MetricRequest:
    """What is to be opened, and the file of the metric."""

    worker: WorkerRequest
    file: str


def main() -> None:
    """Print the value of the metric for the request in the file that the first argument names."""
    _, replies = claim_streams()
    die_with_parent()
    path = Path(sys.argv[1])
    request = from_dict(MetricRequest, json.loads(path.read_text(encoding="utf-8")))
    path.unlink()
    worker = request.worker
    recorded = load_arrays(BuildFolder(Path(worker.cache_dir), worker.build_name).inputs)
    try:
        opened = open_session(find_runtime(worker.runtime, worker.device), worker.request, recorded)
    except MeasureError as error:
        sys.exit(str(error))
    session = cast("Session", opened.session)

    def run(inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The outputs by name, for inputs by name."""
        session.feed({name: np.asarray(value) for name, value in inputs.items()})
        session.prepare()
        session.run()
        session.synchronize()
        return {name: np.array(value) for name, value in session.outputs().items()}

    names = runpy.run_path(request.file)
    value, minimum = float(names[METRIC](run)), names.get(MINIMUM)
    if not math.isfinite(value):
        sys.exit(f"it returned {value}, which cannot be compared")
    if minimum is not None and not isinstance(minimum, Real):
        sys.exit(f"its {MINIMUM} is {minimum!r}, which is no number")
    replies.write(
        json.dumps({"value": value, "minimum": None if minimum is None else float(minimum)})
    )
    replies.flush()
