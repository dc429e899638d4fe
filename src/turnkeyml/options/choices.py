"""What can be chosen, as the registries know it, for ``--help`` and for the checks."""

from __future__ import annotations

from turnkeyml import environment
from turnkeyml.build.opset import DEFAULT_ONNX_OPSET

__all__ = [
    "REBUILD_POLICIES",
    "baseline_help",
    "comparison_formats",
    "default_device_name",
    "default_runtime",
    "default_sequences",
    "device_names",
    "opset_in_words",
    "precisions",
    "rebuild_policies",
    "report_formats",
    "retries",
    "runtime_arguments_help",
    "runtimes_help",
    "sequence_names",
    "skip_policies",
]

REBUILD_POLICIES = ("if_needed", "always", "never")


def device_names() -> list[str]:
    from turnkeyml.runtimes.registry import devices

    return [device.name for device in devices()]


def default_device_name() -> str:
    from turnkeyml.runtimes.registry import default_device

    return default_device().name


def default_runtime() -> str:
    """The default runtime of the default device."""
    from turnkeyml.runtimes.registry import default_device

    return default_device().default_runtime


def runtimes_help() -> str:
    from turnkeyml.runtimes.registry import devices, runtimes

    names = {device.name: ", ".join(r.name for r in runtimes(device.name)) for device in devices()}
    if len(names) == 1:
        return f"one or more of {', '.join(names.values())}; several take turns"
    every = "; ".join(f"{listed} on {device}" for device, listed in names.items())
    return f"one or more of the device's, which take turns: {every}"


def runtime_arguments_help() -> str:
    """How they are written, and those that there are."""
    from turnkeyml.runtimes.registry import runtimes

    known = [f"{a.name} ({r.name}): {a.help}" for r in runtimes() for a in r.arguments]
    there = "; ".join(known) if known else "no runtime here takes any"
    return f"arguments for the runtime, as key::value, key::[a,b] or flag; {there}"


def baseline_help() -> str:
    return (
        "what the others are compared with: a runtime, or one with a precision such as "
        f"{default_runtime()}-{precisions()[-1]}"
    )


def sequence_names() -> list[str]:
    from turnkeyml.build.sequences import SEQUENCES

    return list(SEQUENCES)


def default_sequences() -> str:
    """The default sequence of each runtime that measures a build."""
    from turnkeyml.runtimes.registry import runtimes

    chosen: dict[str, list[str]] = {}
    for runtime in runtimes():
        if runtime.measures_files:
            chosen.setdefault(runtime.default_sequence, []).append(runtime.name)
    known = ", ".join(f"{name} for {' and '.join(of)}" for name, of in chosen.items())
    return f"the runtime's own, {known}; .onnx files are measured as they are"


def precisions() -> list[str]:
    """Those that a named sequence builds, the one that takes the fewest stages first."""
    from turnkeyml.build.sequences import SEQUENCES

    shortest_first = sorted(SEQUENCES.values(), key=lambda sequence: len(sequence.stages))
    return list(dict.fromkeys(p for sequence in shortest_first for p in sequence.precisions))


def rebuild_policies() -> tuple[str, ...]:
    return REBUILD_POLICIES


def retries() -> tuple[str, ...]:
    return ("failed",)


def skip_policies() -> list[str]:
    from turnkeyml.evaluate.skip import SKIP

    return list(SKIP)


def opset_in_words() -> str:
    return f"{environment.ONNX_OPSET}, or {DEFAULT_ONNX_OPSET}"


def report_formats() -> list[str]:
    return _formats() or ["csv"]


def comparison_formats() -> list[str]:
    return _formats() or ["text", "markdown", "csv"]


def _formats() -> list[str]:
    """The names of the formats that have a file; none before there are such files."""
    from importlib.util import find_spec

    if find_spec("turnkeyml.report.formats") is None:
        return []
    from importlib import import_module

    return list(import_module("turnkeyml.report.formats").names())
