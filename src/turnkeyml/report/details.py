"""Details of a build for the page of its model: what does not fit into flat records.

They are its stages and logs, its samples as a plot shows them, its explanations, and the commands
that repeat its measurements.
"""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from turnkeyml.cache import BuildFolder, DamagedFile, is_regular, open_regular, read_json
from turnkeyml.measure import load_samples
from turnkeyml.nouns import (
    TUNED,
    DamagedRecord,
    Evaluation,
    Explanation,
    UnderLoad,
    from_dict,
    to_dict,
)
from turnkeyml.report.builds import StoredBuild
from turnkeyml.report.compared_rows import text_of
from turnkeyml.report.contract import Record

MOST_LOG = 6_000
"""Characters of a log in a report: its beginning and, three times as long, its end."""
MOST_LOGS = 24_000
"""Characters of all logs of a build."""
MOST_LOG_BYTES = 50_000_000
MOST_EXPLANATIONS = 8
MOST_OPERATORS = 300
"""Of one explanation, the most expensive ones."""
BUCKETS = 80
"""Of the plot over time; each shows the median and the extremes of its samples."""
BINS = 40
"""Of the histogram."""
TAIL = 0.995
"""The histogram ends at this quantile; its last bin has what is beyond."""
DIGITS = 4
RULES = ("quick", "rigorous")
"""The rules that have an option of their name."""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]")


def brief_of(build: StoredBuild) -> dict[str, Any]:
    """The details that records need, without reading more files."""
    return {
        "build_name": build.folder.name,
        "cache_dir": str(build.folder.cache_dir),
        "status": build.status.value if build.status else None,
        "labels": build.labels,
        "verification": to_dict(build.verification),
    }


def detail_of(build: StoredBuild) -> dict[str, Any]:
    """The details of a build as plain data, whose values are as untrusted as the cache."""
    evaluations = [stored.evaluation for stored in build.evaluations]
    return {
        **brief_of(build),
        "failure": build.failure,
        "stages": to_dict(build.stages),
        "operators": build.operators,
        "build_command": command_of(build.cells),
        "evaluations": [_evaluation(build, evaluation) for evaluation in evaluations],
        "history": [_moment(stored.evaluation) for stored in build.history],
        "explanations": explanations_of(build.folder),
        "logs": list(_logs(build.folder.path)),
    }


def _evaluation(build: StoredBuild, evaluation: Evaluation) -> dict[str, Any]:
    flags = evaluation.performance.flags if evaluation.performance else ()
    path = _inside(build.folder.path, evaluation.samples_file or "")
    return {
        **_moment(evaluation),
        "flags": to_dict(flags),
        "command": command_of(build.cells, evaluation),
        "samples": series_of(path, evaluation),
    }


def _moment(evaluation: Evaluation) -> dict[str, Any]:
    """One point of the trend of a build."""
    performance = evaluation.performance
    return {
        "contestant": evaluation.label,
        "device": evaluation.device,
        "point": evaluation.parameters,
        "measured_at": evaluation.measured_at,
        "status": evaluation.status.value,
        "reason": evaluation.reason,
        "median": performance.median_latency if performance else None,
        "low": performance.median_low if performance else None,
        "high": performance.median_high if performance else None,
        "grade": to_dict(evaluation.grade),
        "verdict": evaluation.verdict.value,
        "runtime_version": evaluation.runtime_version,
    }


def _logs(folder: Path) -> Iterator[dict[str, Any]]:
    """The logs of the stages and of the measurements, without empty ones."""
    left = MOST_LOGS
    for name in _log_names(folder):
        text = _log(_inside(folder, name), min(MOST_LOG, left))
        if text:
            left -= len(text)
            yield {"name": name, "text": text}


def _log_names(folder: Path) -> list[str]:
    """The paths of the logs in a build folder, those of the stages first."""
    names = sorted(os.listdir(folder))
    stages = [name for name in names if name.startswith("log_") and name.endswith(".txt")]
    devices = [name for name in names if name.endswith("_benchmark")]
    runtimes = (f"{name}/{runtime}" for name in devices for runtime in _names_in(folder / name))
    return [*stages, *(f"{runtime}/log.txt" for runtime in runtimes)]


def _names_in(folder: Path) -> list[str]:
    """The names in a folder of a build; none if it is a link or cannot be read."""
    try:
        return [] if folder.is_symlink() else sorted(os.listdir(folder))
    except OSError:
        return []


def _log(path: Path | None, most: int) -> str:
    """A log without terminal escapes; the middle of a long one is left out."""
    if path is None or most <= 0:
        return ""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            text = file.read(MOST_LOG_BYTES).decode("utf-8", "replace")
    except (OSError, DamagedFile):
        return ""
    text = _ESCAPES.sub("", text).strip()
    if len(text) <= most:
        return text
    head, tail = text[: most // 4], text[-(most - most // 4) :]
    return f"{head}\n… {len(text) - most:,} characters are left out …\n{tail}"


def _inside(folder: Path, name: str) -> Path | None:
    """The path of a file in a build folder; None if there is none, or if a link leads to it."""
    parts = PurePath(name).parts
    if not parts or ".." in parts or PurePath(name).is_absolute():
        return None
    path = folder
    for part in parts[:-1]:
        path = path / part
        if path.is_symlink():
            return None
    path = path / parts[-1]
    return path if is_regular(path) else None


def series_of(path: Path | None, evaluation: Evaluation) -> dict[str, Any] | None:
    """The samples of an evaluation over time and their histogram, in milliseconds.

    None if there are none, or the file has those of a later measurement.
    """
    performance = evaluation.performance
    if path is None or performance is None:
        return None
    try:
        with np.errstate(all="ignore"):
            processes = load_samples(path)
            samples = np.concatenate(processes)
            ordered = np.sort(samples)
    except (OSError, DamagedRecord, ValueError, OverflowError):
        return None
    middle = (len(samples) - 1) / 2
    median = float(ordered[math.floor(middle)] + ordered[math.ceil(middle)]) / 2
    own = len(samples) == performance.samples
    if not own or not math.isclose(median, performance.median_latency, rel_tol=1e-9):
        return None
    starts = np.cumsum([0, *map(len, processes)])[:-1]
    return (
        {"count": len(samples), "processes": starts.tolist()} | _over_time(samples) | _bins(ordered)
    )


def _over_time(samples: np.ndarray) -> dict[str, Any]:
    """The end of each bucket in seconds of measured time, and its low, median and high."""
    size = math.ceil(len(samples) / BUCKETS)
    whole, rest = np.split(samples, [len(samples) // size * size])
    starts = np.arange(0, len(samples), size)
    ends = np.append(starts[1:], len(samples)) - 1
    buckets = [np.sort(whole.reshape(-1, size), axis=1)]
    if len(rest):
        buckets.append(np.sort(rest)[np.newaxis])
    named = {
        "seconds": np.cumsum(samples)[ends] / 1e3,
        "low": np.concatenate([found[:, 0] for found in buckets]),
        "middle": np.concatenate([_middle(found) for found in buckets]),
        "high": np.concatenate([found[:, -1] for found in buckets]),
    }
    return {name: _short(values) for name, values in named.items()}


def _middle(ordered: np.ndarray) -> np.ndarray:
    """The median of each row of sorted numbers."""
    count = ordered.shape[1]
    return (ordered[:, (count - 1) // 2] + ordered[:, count // 2]) / 2


def _bins(ordered: np.ndarray) -> dict[str, Any]:
    """The histogram of sorted samples."""
    low, high = float(ordered[0]), float(ordered[int(TAIL * (len(ordered) - 1))])
    if not low < high:
        return {"from": low, "to": low, "bins": [len(ordered)], "beyond": 0}
    ends = np.searchsorted(ordered, np.linspace(low, high, BINS + 1)[1:], side="right")
    counts = np.diff(ends, prepend=0)
    return {
        "from": low,
        "to": high,
        "bins": counts.tolist(),
        "beyond": len(ordered) - int(ends[-1]),
    }


def _short(values: Any) -> list[float]:
    """The same with the digits that a plot can show."""
    return [float(f"{value:.{DIGITS}g}") for value in values]


def explanations_of(folder: BuildFolder) -> list[dict[str, Any]]:
    """The last explanation of each runtime and precision as plain data; no damaged ones."""
    found = map(_read_explanation, folder.explanations()[:MOST_EXPLANATIONS])
    return [to_dict(_without_shapes(one)) for one in found if one is not None]


def _read_explanation(path: Path) -> Explanation | None:
    if path.parent.is_symlink() or not is_regular(path):
        return None
    try:
        return from_dict(Explanation, read_json(path))
    except DamagedRecord:
        return None


def _without_shapes(one: Explanation) -> Explanation:
    """Without the shapes, which the page does not show, and without the cheapest operators."""
    operators = [replace(o, inputs=(), outputs=()) for o in one.operators[:MOST_OPERATORS]]
    return replace(one, operators=tuple(operators))


def command_of(model: Record, evaluation: Evaluation | None = None) -> str:
    """The command that builds and measures a model as it was; empty if its file is unknown."""
    file, digest = text_of(model, "file"), text_of(model, "hash")
    if not file:
        return ""
    is_script = file.endswith(".py")
    words = ["turnkey", f"{file}::{digest}" if digest and is_script else file]
    opset = text_of(model, "build_onnx_opset")
    if evaluation is None:
        return shlex.join([*words, "--build-only", *_option("onnx-opset", opset)])
    if TUNED in evaluation.parameters:
        return shlex.join(["turnkey", "tune", *words[1:], *_tuned(evaluation)])
    words += _option("device", evaluation.device_type) + _option("runtime", evaluation.runtime)
    if is_script and evaluation.precision != "mixed":
        words += _option("precision", evaluation.precision)
    return shlex.join([*words, *_option("onnx-opset", opset), *_conditions(evaluation)])


def _tuned(evaluation: Evaluation) -> list[str]:
    """The options that make tuning try a configuration again."""
    words = _option("device", evaluation.device_type) + _option("runtime", evaluation.runtime)
    words += _option("precision", evaluation.parameters[TUNED].partition(",")[0])
    threads = evaluation.conditions.threads if evaluation.conditions else 0
    return words + _option("threads", str(threads or ""))


def _conditions(evaluation: Evaluation) -> list[str]:
    conditions, words = evaluation.conditions, []
    if evaluation.parameters:
        words += ["--sweep", *(f"{name}={value}" for name, value in evaluation.parameters.items())]
    words += [*_load(evaluation.under_load), *_option("host", evaluation.host)]
    if conditions is None:
        return words
    if evaluation.python:
        words += _option("python", f"{evaluation.python}={conditions.python}")
    if conditions.threads not in (0, conditions.usable_cores):
        words += _option("threads", str(conditions.threads))
    rule, iterations = conditions.rule.get("name"), conditions.rule.get("iterations")
    if iterations:
        return [*words, *_option("iterations", str(iterations))]
    return [*words, f"--{rule}"] if rule in RULES else words


def _load(load: UnderLoad | None) -> list[str]:
    """The options of a load; its pattern is spelled like them."""
    if load is None:
        return []
    name, _, value = load.pattern.partition("=")
    return [*_option(name, value), *_option("instances", str(load.instances))]


def _option(name: str, value: str) -> list[str]:
    return [f"--{name}", value] if value else []
