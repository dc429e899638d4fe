"""What an ONNX Runtime session is asked for, and on which execution providers its nodes run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnxruntime

from turnkeyml.errors import MeasureError

CPU = "CPUExecutionProvider"
SUFFIX = "executionprovider"
RECORD_PLACEMENT = "session.record_ep_graph_assignment_info"
"""The setting of a session that makes ONNX Runtime remember which provider runs which node."""
TELLS_NODES = "get_provider_graph_assignment_info"
"""The method of sessions that tells it, from ONNX Runtime 1.24 on."""
OPERATORS_SHOWN = 6


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


def full_names(names: Sequence[str]) -> list[str]:
    """The names of installed providers, from full or short names; an error lists what is installed.

    The short name of ``XnnpackExecutionProvider`` is ``xnnpack``, in any case.
    """
    installed = {_short(name): name for name in onnxruntime.get_available_providers()}
    unknown = [name for name in names if _short(name) not in installed]
    if unknown:
        raise MeasureError(
            f"The installed ONNX Runtime {onnxruntime.__version__} has no provider {unknown[0]!r}; "
            f"choose from: {', '.join(installed)}, or install a build of it that has it."
        )
    return list(dict.fromkeys(installed[_short(name)] for name in names))


def _short(name: str) -> str:
    return name.strip().lower().removesuffix(SUFFIX)


def fallback_stats(session: onnxruntime.InferenceSession) -> dict[str, Any]:
    """How many nodes fall back to the CPU, and which; nothing if the CPU is all that is used."""
    used = session.get_providers()
    if used == [CPU]:
        return {}
    placed = placed_nodes(session)
    if placed is None:
        text = f"unknown: ONNX Runtime {onnxruntime.__version__} does not tell; use a newer one"
        return {"fallback": text}
    on_cpu = Counter(operator for provider, operator in placed if provider == CPU)
    return {
        "nodes": len(placed),
        "nodes_on_cpu": on_cpu.total(),
        "fallback": _in_words(on_cpu, len(placed), used[0]),
    }


def assigned_nodes(session: Any) -> tuple[list[str], int] | None:
    """What ``nodes_on_cpu`` tells, from the session itself; None if it does not tell."""
    placed = placed_nodes(session)
    if placed is None:
        return None
    return [operator for provider, operator in placed if provider == CPU], len(placed)


def placed_nodes(session: onnxruntime.InferenceSession) -> list[tuple[str, str]] | None:
    """The provider and the operator of each node; None from an ONNX Runtime that does not tell."""
    if not hasattr(session, TELLS_NODES):
        return None
    parts = getattr(session, TELLS_NODES)()
    return [(part.ep_name, node.op_type) for part in parts for node in part.get_nodes()]


def nodes_on_cpu(profile: str) -> tuple[list[str], int]:
    """The operators of the nodes that ran on the CPU, one entry per node, and the count of all.

    From the profile of ONNX Runtime, which is removed.
    """
    path = Path(profile)
    events = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    found = {}
    for event in events:
        details = event.get("args") or {}
        if event.get("cat") == "Node" and details.get("provider"):
            found[event.get("name")] = (details["provider"], details.get("op_name", ""))
    names = [operator for provider, operator in found.values() if provider == CPU]
    return names, len(found)


def _in_words(on_cpu: Counter[str], nodes: int, first: str) -> str:
    if not on_cpu:
        return f"none: no node of {nodes} runs on the CPU provider"
    shown = [f"{name} {count}" for name, count in on_cpu.most_common(OPERATORS_SHOWN)]
    more = ", …" if len(on_cpu) > OPERATORS_SHOWN else ""
    return (
        f"{on_cpu.total()} of {nodes} nodes run on the CPU provider instead of {first} "
        f"({', '.join(shown)}{more})"
    )
