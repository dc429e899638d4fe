"""Turn options into a ``Plan``: what is done with every invocation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from turnkeyml import environment
from turnkeyml.errors import UsageError
from turnkeyml.nouns import Plan
from turnkeyml.options import (
    PlanOptions,
    default_device_name,
    known_precisions,
    load_of,
    places_of,
    takes,
)
from turnkeyml.runtimes import (
    Runtime,
    all_runtimes,
    find_device,
    find_runtime,
    require_elsewhere,
    require_files,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(PlanOptions)
def make_plan(**options: Unpack[PlanOptions]) -> Plan:
    """The plan that options describe; a UsageError if they make no sense."""
    return plan_of(options)


def plan_of(options: Mapping[str, Any], **settings: Any) -> Plan:
    """The plan that settled options describe; ``settings`` override its fields."""
    if any({**options, **settings}.get(only) for only in ("analyze_only", "build_only")):
        options = _without_unknown(options)
    sequence, opset = options.get("sequence"), options.get("onnx_opset")
    same_name = {field.name: options[field.name] for field in fields(Plan) if field.name in options}
    made = {
        "cache_dir": os.path.abspath(options["cache_dir"]),
        "device": find_device(options["device"]).name,
        "runtimes": _runtimes(options),
        "places": places_of(options),
        "rule": _rule_name(options),
        "load": load_of(options),
        "precisions": options.get("precision", ()),
        "sequence": sequence if isinstance(sequence, str) else None,
        "onnx_opset": environment.onnx_opset() if opset is None else opset,
    }
    return Plan(**{**same_name, **made, **settings})


def _without_unknown(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options of a run that measures nothing: a device or runtime that is not known does not
    matter. A known one chooses the default sequence of a build."""
    try:
        named = [find_runtime(name, options["device"]) for name in options["runtime"]]
        for runtime in named or [
            find_runtime(find_device(options["device"]).default_runtime, options["device"])
        ]:
            runtime.complete(options["rt_args"])
    except UsageError:
        default = {"device": default_device_name(), "runtime": (), "rt_args": {}}
        return {**options, **default, "python": (), "host": ()}
    return options


def _runtimes(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the runtimes; an error if one is not available.

    With Slurm nothing is checked here: the nodes may have what this machine lacks.
    """
    named, places = options["runtime"], places_of(options)
    found = named_runtimes(options)
    measures_here = not any(map(options.get, ("analyze_only", "build_only", "use_slurm")))
    if (load := load_of(options)) is not None:
        _require_serving(found, options, load.instances)
    for runtime in found:
        arguments = runtime.complete(options["rt_args"])
        _check_precisions(runtime, options.get("precision") or ())
        if measures_here and not places:
            if named:  # otherwise a device that is not there matters more than its library
                runtime.require()
            runtime.require_ready()
            runtime.require()
            runtime.check_arguments(arguments)
    if places:
        require_files(found, "--host" if options.get("host") else "--python")
        if measures_here:
            require_elsewhere(places, found)
    return tuple(runtime.name for runtime in found)


def named_runtimes(options: Mapping[str, Any]) -> list[Runtime]:
    """The runtimes that settled options name, or the default one; a usage error if one is unknown.

    Whether they can be used is not known yet.
    """
    device = options["device"]
    names = options["runtime"] or [find_device(device).default_runtime]
    return [find_runtime(name, device) for name in names]


def _require_serving(chosen: Iterable[Runtime], options: Mapping[str, Any], instances: int) -> None:
    """Raise a usage error if a runtime cannot execute several requests at the same time."""
    device = options["device"]
    for runtime in chosen:
        if not runtime.serves:
            known = (
                ", ".join(r.name for r in all_runtimes(device) if r.serves) or "none on this device"
            )
            raise UsageError(
                f"The runtime {runtime.name} on {runtime.device} cannot be measured under load; "
                f"choose from: {known}."
            )
        runtime.check_load(runtime.complete(options["rt_args"]), instances)


def _check_precisions(runtime: Runtime, wanted: Iterable[str]) -> None:
    """Raise a usage error for a precision that is neither built nor cast to by a runtime."""
    known = known_precisions()
    for precision in wanted:
        if precision not in (*known, *runtime.casts_live_to):
            raise UsageError(
                f"The runtime {runtime.name} cannot measure in {precision} on {runtime.device}; "
                f"choose from: {', '.join(known)}."
            )


def _rule_name(options: Mapping[str, Any]) -> str:
    if options.get("iterations") is not None and options.get("budget") is not None:
        raise UsageError("--budget is not allowed with --iterations; choose one.")
    chosen = [rule for rule in ("quick", "rigorous") if options.get(rule)]
    return chosen[0] if chosen else "default"
