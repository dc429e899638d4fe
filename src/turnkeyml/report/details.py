"""What is known about a build besides its flat records: for the page of a model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from turnkeyml.cache import DamagedFile, is_regular, open_regular
from turnkeyml.nouns import Evaluation, to_dict
from turnkeyml.report.builds import StoredBuild
from turnkeyml.report.explanations import explanations_of
from turnkeyml.report.reproduce import command_of
from turnkeyml.report.series import series_of

MOST_LOG = 6_000
"""Characters of a log in a report: its beginning and, three times as long, its end."""
MOST_LOGS = 24_000
"""Characters of all logs of a build."""
MOST_LOG_BYTES = 50_000_000
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
