"""What an ONNX Runtime session is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import onnxruntime

from turnkeyml.runtimes.ort_providers import CPU, RECORD_PLACEMENT


@dataclass(frozen=True)
class OrtSettings:
    """The settings of a session; the defaults are those of a measurement."""

    threads: int
    level: str = "all"
    """Of the graph optimizations: ``none``, ``basic``, ``extended`` or ``all``."""
    prepacking: bool = True
    providers: tuple[str, ...] = (CPU,)
    parallel: bool = False
    spinning: bool = True
    profile: str = ""
    """The beginning of the path of a file for ONNX Runtime's profiler; empty for none."""

    def options(self) -> onnxruntime.SessionOptions:
        """The options of ONNX Runtime for them."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = self._threads_between
        options.log_severity_level = 3
        options.graph_optimization_level = _level(self.level)
        if self.parallel:
            options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
        if self.profile:
            options.enable_profiling = True
            options.profile_file_prefix = self.profile
        for name, value in self._entries().items():
            options.add_session_config_entry(name, value)
        return options

    def facts(self) -> dict[str, Any]:
        """What the record of an evaluation has of them."""
        return {
            "intra_op_num_threads": self.threads,
            "inter_op_num_threads": self._threads_between,
            "execution_mode": "parallel" if self.parallel else "sequential",
            "spinning": self.spinning,
            "graph_optimization_level": self.level,
        }

    @property
    def _threads_between(self) -> int:
        """How many operators may run at the same time."""
        return self.threads if self.parallel else 1

    def _entries(self) -> dict[str, str]:
        """The entries in the configuration of a session."""
        found = {}
        if not self.spinning:
            for pool in ("intra_op", "inter_op"):
                found[f"session.{pool}.allow_spinning"] = "0"
        if not self.prepacking:
            found["session.disable_prepacking"] = "1"
        if self.providers != (CPU,):
            found[RECORD_PLACEMENT] = "1"
        return found


def _level(name: str) -> onnxruntime.GraphOptimizationLevel:
    levels = onnxruntime.GraphOptimizationLevel
    return {
        "none": levels.ORT_DISABLE_ALL,
        "basic": levels.ORT_ENABLE_BASIC,
        "extended": levels.ORT_ENABLE_EXTENDED,
        "all": levels.ORT_ENABLE_ALL,
    }[name]
