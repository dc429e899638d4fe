"""The ``implements`` dictionary of a package ``turnkeyml_plugin_NAME``, as a ``Plugin``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from turnkeyml.runtimes.base_rt import CONSTRUCTOR, ClassRuntime, constructor_parameters
from turnkeyml.runtimes.contract import ONNX, SEPARATOR, Argument, Device, Plugin, Runtime

if TYPE_CHECKING:
    from turnkeyml.runtimes.plugins import InstalledPlugin

Parts = dict[str, tuple[str, ...]]

KNOWN = ("runtimes", "sequences", "stages")
LIVE = "torch"
"""What is measured without a build: the live model."""


def read_implements(implements: Mapping[str, Any], plugin: InstalledPlugin) -> Plugin:
    """What a dictionary implements; an entry that makes no sense is a problem of the plugin."""
    for kind in implements:
        if kind not in KNOWN:
            plugin.refuse(
                f"implements {kind!r}, which turnkey does not know", f"use {', '.join(KNOWN)}"
            )
    devices: dict[str, Device] = {}
    runtimes: list[type[Runtime]] = []
    sequences: dict[str, Any] = {}
    for name, entry in implements.get("sequences", {}).items():
        sequences[name] = entry["sequence_instance"] if isinstance(entry, Mapping) else entry
    for name, entry in implements.get("runtimes", {}).items():
        problem = _problem_of(entry)
        if problem is not None:
            plugin.refuse(f"has a runtime {name!r} {problem}")
            continue
        for family, parts in _devices_of(entry["supported_devices"]).items():
            known = devices.get(family, _device(family, name, entry["RuntimeClass"]))
            merged = {**known.parts, **parts}
            devices[family] = Device(
                family, known.title, known.default_runtime, known.describe, parts=merged
            )
            runtimes.append(_runtime(name, family, parts, entry, sequences))
    stages = tuple(implements.get("stages", ()))
    return Plugin(tuple(devices.values()), tuple(runtimes), stages, sequences)


def _problem_of(entry: Any) -> str | None:
    """What is wrong with the entry of a runtime."""
    if not isinstance(entry, Mapping):
        return "that is not a dictionary"
    if not inspect.isclass(entry.get("RuntimeClass")):
        return "without a 'RuntimeClass'"
    if not isinstance(entry.get("supported_devices"), (set, frozenset, list, tuple, Mapping)):
        return "without 'supported_devices', a set or a dictionary"
    return None


def _devices_of(supported: Any) -> dict[str, Parts]:
    """The parts and configurations of each family."""
    if not isinstance(supported, Mapping):
        return {family: {} for family in sorted(supported)}
    return {
        family: {
            part: tuple(configurations or ()) for part, configurations in (parts or {}).items()
        }
        for family, parts in supported.items()
    }


def _device(family: str, runtime: str, kind: type) -> Device:
    """A device that only this plugin knows; if it exists already, it stays what it is."""
    return Device(family, family, runtime, _describe(kind, family))


def _describe(kind: type, family: str) -> Callable[[], str]:
    name = getattr(kind, "device_name", None)
    return (lambda: str(name())) if callable(name) else (lambda: family)


def _runtime(
    name: str, family: str, parts: Parts, entry: Mapping[str, Any], sequences: dict[str, Any]
) -> type[Runtime]:
    """A runtime that uses the ``RuntimeClass`` of an entry."""
    kind, check = entry["RuntimeClass"], entry.get("requirement_check")
    only_on = tuple(Device(family, family, name, str, parts=parts).names()) if parts else ()
    settings: dict[str, Any] = {
        "name": name,
        "title": name,
        "device": family,
        "only_on": only_on,
        "artifact": ONNX if entry.get("build_required", True) else LIVE,
        "kind": kind,
        "reports_itself": not callable(getattr(kind, "infer", None)),
        "status_stats": tuple(entry.get("status_stats") or ()),
        "arguments": tuple(_arguments(kind)),
        "takes_any": constructor_parameters(kind)[1],
    }
    if check is not None:
        settings["check"] = lambda self: check()
    sequence = entry.get("default_sequence")
    if sequence is not None:
        settings["default_sequence"] = sequence if isinstance(sequence, str) else sequence.name
    if sequence is not None and not isinstance(sequence, str):
        sequences.setdefault(sequence.name, sequence)
    return type(f"{kind.__name__} on {family.replace(SEPARATOR, ' ')}", (ClassRuntime,), settings)


def _arguments(kind: type) -> Iterator[Argument]:
    """The arguments of the constructor that are not turnkey's own."""
    for name, parameter in constructor_parameters(kind)[0].items():
        if name not in CONSTRUCTOR:
            known = parameter.default is not parameter.empty
            yield Argument(name, f"default {parameter.default!r}" if known else "required")
