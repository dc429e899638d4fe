"""Columns that only the page has: they are made from other columns, for filters and plots."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from turnkeyml.nouns import BuildStatus, EvaluationStatus, FlagKind, Verdict, label_of
from turnkeyml.report.builds import NOT_MEASURED, UNREADABLE
from turnkeyml.report.compared_rows import FAILED_BUILDS, one_line, text_of
from turnkeyml.report.contract import Cell, Record
from turnkeyml.report.failures import kind_of

LABEL = "label "
"""The beginning of the name of a column that has the values of one label."""

DERIVED = {
    "corpus": "The folder of the script.",
    "contestant": "The runtime with its place and the precision.",
    "outcome": "How far it came: verified, not verified, not checked, not credible, "
    "measurement failed, build failed, built, running, not measured or unreadable.",
    "cause": "The reason of a failure without names and numbers, which groups failures.",
    "build_status": "The status of the build.",
    "build_verdict": "The verdict on the build itself.",
    "script_seconds": "How long the script took, without builds and measurements.",
    "speedup": "How many times as fast the second runtime of the plot of speed-ups is.",
}
_OUTCOMES: dict[str, str] = {
    EvaluationStatus.FAILED: "measurement failed",
    **dict.fromkeys(FAILED_BUILDS, "build failed"),
    BuildStatus.SUCCESSFUL: "built",
    BuildStatus.RUNNING: "running",
    NOT_MEASURED: NOT_MEASURED,
    UNREADABLE: UNREADABLE,
}
_STAGE = re.compile(r"(\w+) \((?:after [^)]*|the first stage)\) failed")


def derived_cells(
    record: Record, build: Mapping[str, Any], script_seconds: float | None
) -> dict[str, Cell]:
    """The derived cells of a record; ``build`` has the details of its build, if there are any."""
    reason = record.get("reason")
    labels = build.get("labels") or {}
    parts = (text_of(record, name) for name in ("runtime", "python", "precision", "host"))
    return {
        "corpus": PurePath(text_of(record, "file")).parent.name or None,
        "contestant": label_of(*parts) or None,
        "outcome": _outcome(record),
        "cause": kind_of(one_line(reason)) if reason else None,
        "build_status": build.get("status"),
        "build_verdict": (build.get("verification") or {}).get("verdict"),
        "build_failed_stage": failed_stage(record),
        "script_seconds": script_seconds,
        **{f"{LABEL}{key}": ", ".join(words) for key, words in labels.items()},
    }


def _outcome(record: Record) -> str:
    status = text_of(record, "status")
    if status != EvaluationStatus.SUCCESSFUL:
        return _OUTCOMES.get(status, status)
    verdict = text_of(record, "verdict") or Verdict.NOT_CHECKED
    if verdict == Verdict.NOT_CHECKED:
        return "not checked"
    if verdict not in [v.value for v in Verdict if v.trusted]:
        return "not verified"
    discredited = {kind for kind in FlagKind if kind.discredits}
    return "not credible" if discredited & set(text_of(record, "flags").split()) else "verified"


def failed_stage(record: Record) -> str | None:
    """The stage at which a build failed; older stats only have it in the reason."""
    known = text_of(record, "build_failed_stage")
    if known or text_of(record, "status") not in FAILED_BUILDS:
        return known or None
    found = _STAGE.match(one_line(record.get("reason")))
    if found or text_of(record, "status") != BuildStatus.FAILED:
        return found[1] if found else None
    return "before the first stage"
