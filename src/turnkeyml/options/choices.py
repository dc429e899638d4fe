"""Choices and help texts that are made from the registries."""

from __future__ import annotations

from turnkeyml import environment
from turnkeyml.build import DEFAULT_ONNX_OPSET

REBUILD_POLICIES = ("if_needed", "always", "never")


def devices_help() -> str:
    """The devices that this machine may have; those of other machines are accepted too."""
    from turnkeyml.runtimes import listed_names, local_devices

    *others, last = (name for device in local_devices() for name in listed_names(device))
    return f"device type: {', '.join(others)} or {last}" if others else f"device type: {last}"


def default_device_name() -> str:
    from turnkeyml.runtimes import default_device

    return default_device().name


def default_runtime() -> str:
    """The default runtime of the default device."""
    from turnkeyml.runtimes import default_device

    return default_device().default_runtime


def runtimes_help() -> str:
    from turnkeyml.runtimes import all_runtimes, local_devices

    names = {d.name: ", ".join(r.name for r in all_runtimes(d.name)) for d in local_devices()}
    if len(names) == 1:
        return f"one or more runtimes, measured in turns: {', '.join(names.values())}"
    every = "; ".join(f"{known} on {device}" for device, known in names.items())
    return f"one or more runtimes of the device, measured in turns: {every}"


def runtime_arguments_help() -> str:
    """The syntax of runtime arguments, and the arguments that runtimes take."""
    from turnkeyml.runtimes import all_runtimes, local_devices

    offered = [r for device in local_devices() for r in all_runtimes(device.name)]
    known = dict.fromkeys(f"{a.name} ({r.name}): {a.help}" for r in offered for a in r.arguments)
    text = "; ".join(known) if known else "none of the runtimes takes any"
    return f"arguments for the runtime, as key=value, key=[a,b] or flag; {text}"


def baseline_help() -> str:
    return (
        "compare the others with this one: a runtime, or a runtime with a precision, such as "
        f"{default_runtime()}-{known_precisions()[-1]}"
    )


def sequences_help() -> str:
    """The named sequences, and what may stand in their place."""
    from turnkeyml.build import sequence_names

    return f"build sequence: {', '.join(sequence_names())}, or build stages separated by commas"


def default_sequences() -> str:
    """The default sequence of each runtime that measures a build."""
    from turnkeyml.runtimes import all_runtimes

    chosen: dict[str, dict[str, list[str]]] = {}
    for runtime in all_runtimes():
        if runtime.measures_files:
            of = chosen.setdefault(runtime.default_sequence, {}).setdefault(runtime.device, [])
            of.append(runtime.name)
    known = ", ".join(f"{name} for {_on_devices(of)}" for name, of in chosen.items())
    return f"that of the runtime, {known}; .onnx files are measured without a build"


def _on_devices(names: dict[str, list[str]]) -> str:
    """The names of runtimes with their devices."""
    return " and ".join(f"{' and '.join(of)} on {device}" for device, of in names.items())


def known_precisions() -> list[str]:
    """The precisions that named sequences build, the one with the fewest stages first."""
    from turnkeyml.build import SEQUENCES

    shortest_first = sorted(SEQUENCES.values(), key=lambda sequence: len(sequence.stages))
    return list(dict.fromkeys(p for sequence in shortest_first for p in sequence.precisions))


def every_precision() -> list[str]:
    """The precisions that named sequences build or that runtimes cast a live model to."""
    from turnkeyml.runtimes import all_runtimes

    return list(
        dict.fromkeys((*known_precisions(), *(p for r in all_runtimes() for p in r.casts_live_to)))
    )


def tuned_precisions() -> tuple[str, ...]:
    """The precisions that tuning tries."""
    from turnkeyml.tuning import PRECISIONS

    return PRECISIONS


def rebuild_policies() -> tuple[str, ...]:
    return REBUILD_POLICIES


def retries() -> tuple[str, ...]:
    return ("failed",)


def skip_policies() -> list[str]:
    from turnkeyml.evaluate import SKIP

    return list(SKIP)


def default_opset() -> str:
    return f"{environment.ONNX_OPSET}, or {DEFAULT_ONNX_OPSET}"


def formats() -> tuple[str, ...]:
    """The report formats."""
    from turnkeyml.report import names

    return names()


def orders() -> list[str]:
    """The orders of a list of builds."""
    from turnkeyml.display import ORDERS

    return list(ORDERS)


def shells() -> tuple[str, ...]:
    """The shells that complete our command lines."""
    return ("bash", "zsh", "fish")
