"""Builds in a cache that nobody built: their stats alone, for what only reads them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from turnkeyml.cache import write_yaml

__all__ = ["evaluation", "fabricate"]


def evaluation(
    runtime: str = "ort", median: float | None = 1.0, days: float = 0, **other: Any
) -> dict[str, Any]:
    """The record of a measurement some days ago; of a failure without a median."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime(time.time() - days * 86400))
    record = {
        "device_type": "x86",
        "device": "a processor",
        "runtime": runtime,
        "precision": "fp32",
        "measured_at": moment,
        "status": "failed" if median is None else "successful",
        "grade": None if median is None else "A",
        "verification": {"verdict": "match", "cause": "within tolerance", "reason": ""},
        **other,
    }
    if median is not None:
        record["performance"] = {
            "mean_latency": median,
            "throughput": 1000 / median,
            "iterations": 100,
            "median_latency": median,
            "p90_latency": median,
            "latency_standard_deviation": 0.0,
            "min_latency": median,
            "max_latency": median,
            "warmup_iterations": 5,
            "median_low": median * 0.99,
            "median_high": median * 1.01,
        }
    return record


def fabricate(
    cache: Path,
    name: str,
    *evaluations: dict[str, Any],
    size: int = 0,
    status: str = "successful_build",
    model: str = "Linear",
) -> Path:
    """The folder of a build with these evaluations and an artifact of this size."""
    folder = cache / name
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(bytes(size))
    facts = {"turnkey_version": "0.1.0", "build_name": name, "model_class": model}
    facts |= {"hash": name[-8:], "model_hash": "01234567"}
    write_yaml(
        folder / "turnkey_stats.yaml",
        {**facts, "build": {"status": status}, "evaluations": list(evaluations)},
    )
    return folder
