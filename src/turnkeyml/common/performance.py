"""The import path of ``MeasuredPerformance`` that plugins use: a plain record of their numbers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MeasuredPerformance"]


@dataclass
class MeasuredPerformance:
    """What ``benchmark()`` of a plugin's runtime class returns; turnkey asks its properties."""

    mean_latency: float
    throughput: float
    device: str = ""
    device_type: str = ""
    runtime: str = ""
    runtime_version: str = ""
    build_name: str = ""
