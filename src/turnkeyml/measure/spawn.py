"""Measuring in a fresh process that knows nothing but the build."""

from __future__ import annotations

import subprocess
from pathlib import Path

from turnkeyml import interpreter
from turnkeyml.cache.files import write_json
from turnkeyml.errors import MeasureError
from turnkeyml.measure.record import read_evaluation
from turnkeyml.measure.worker import WorkerRequest
from turnkeyml.records import Evaluation, to_dict

__all__ = ["measure_in_worker"]


def measure_in_worker(request: WorkerRequest) -> Evaluation:
    """Start a worker, wait for it, and return the record it left."""
    folder = Path(request.folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evaluation.json").unlink(missing_ok=True)
    write_json(folder / "request.json", to_dict(request))
    command = interpreter.command("turnkeyml.measure.worker", str(folder / "request.json"))
    log = folder / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
    if code != 0:
        raise MeasureError(
            f"The worker that measured with {request.runtime} {interpreter.describe_exit(code)}"
            f"{_last_words(log)}. Its log is {log}."
        )
    return read_evaluation(folder)


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text("utf-8", errors="replace").splitlines()]
    last = next((line for line in reversed(lines) if line), "")
    return f": {last[:400]}" if last else ""
