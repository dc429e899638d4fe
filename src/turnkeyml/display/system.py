"""The text of ``turnkey system-info`` and ``turnkey plugins``: what this machine has."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from turnkeyml.display.builds import memory_in_words
from turnkeyml.nouns import (
    DeviceInfo,
    GpuInfo,
    Grade,
    NoiseFloor,
    PluginInfo,
    RuntimeInfo,
    SystemInfo,
)
from turnkeyml.report import text_table

LEAST_WIDTH = 24
"""Columns that a text is wrapped to at least; in a narrower terminal it overflows."""
RELIABLE = {
    Grade.A: "be reliable to 1%",
    Grade.B: "be reliable to 3%",
    Grade.C: "be reliable to 10%",
    Grade.D: "not be reliable",
}
"""What a grade promises."""
ALL = "all"
KINDS = ("devices", "runtimes", "sequences", "stages")


def system_lines(info: SystemInfo, width: int | None = None) -> list[str]:
    """The machine and the libraries, the devices with their runtimes, problems of plugins, and the
    noise floor; wrapped to ``width`` columns, if given."""
    lines = [*_facts(_machine(info), width), "", *_runtime_table(info.devices, width)]
    if info.plugin_problems:
        lines += ["", "Plugins with problems:"]
        lines += [line for text in info.plugin_problems for line in _wrapped(text, "  ", width)]
    if info.noise is None:
        return [*lines, "", "The noise floor needs numpy, which cannot be imported; install it."]
    seconds = f"{info.noise.seconds:.1f}"
    lines += ["", f"Noise floor, from a fixed loop that ran for {seconds} s:"]
    return [*lines, *_facts(_noise(info.noise, info.processors), width)]


def _machine(info: SystemInfo) -> dict[str, str]:
    return {
        "turnkey": info.turnkey_version,
        "Python": f"{info.python_version} ({info.python})",
        "platform": info.platform,
        "CPU": f"{info.cpu} ({info.architecture})",
        "cores": _cores(info),
        "memory": memory_in_words(info.memory_bytes) if info.memory_bytes else "unknown",
        "GPUs": "; ".join(map(_gpu, info.gpus)) or "none found",
        **{name: version or "not installed" for name, version in info.libraries.items()},
    }


def _cores(info: SystemInfo) -> str:
    words = f"{info.usable_cores} usable, {info.processors} logical"
    return words if info.cpu_quota is None else f"{words}, a quota of {info.cpu_quota:g}"


def _gpu(gpu: GpuInfo) -> str:
    memory = f", {memory_in_words(gpu.memory_bytes)}" if gpu.memory_bytes else ""
    return f"{gpu.name}{memory}, {f'driver {gpu.driver}' if gpu.driver else 'no driver'}"


def _runtime_table(devices: Sequence[DeviceInfo], width: int | None) -> Iterator[str]:
    """A table whose last column is wrapped."""
    header = ("device", "runtime", "version", "usable here")
    rows = [row for device in devices for row in _rows(device)]
    ends = [row[-1] for row in rows]
    marked = [[*row[:-1], "|"] for row in rows]  # keeps the blanks before the last column
    first, *starts = text_table((*header[:-1], "|"), marked)
    yield first[:-1] + header[-1]
    for start, end in zip(starts, ends, strict=True):
        yield from _wrapped(end, start[:-1], width)


def _rows(device: DeviceInfo) -> Iterator[list[str]]:
    name = f"{device.name} (default)" if device.default else device.name
    states = {_state(runtime) for runtime in device.runtimes}
    if len(device.runtimes) > 1 and len(states) == 1 and not device.available:
        yield [name, ALL, "", *states]
        return
    for runtime in device.runtimes:
        yield [name, runtime.name, runtime.version, _state(runtime)]


def _state(runtime: RuntimeInfo) -> str:
    if runtime.available:
        return "yes"
    if runtime.obstacle:
        return f"no: {runtime.obstacle}"
    return f"no, needs {' and '.join(runtime.missing)}"


def _noise(noise: NoiseFloor, processors: int) -> dict[str, str]:
    grade = f"{noise.grade} now: a measurement would {RELIABLE[noise.grade]}"
    return {
        "timer": f"{noise.timer_nanoseconds:.0f} ns to read the clock",
        "jitter": _jitter(noise),
        "load": _other_load(noise, processors),
        "steal": "unknown" if noise.stolen_share is None else f"{noise.stolen_share:.1%}",
        "processors": _distance(noise),
        "memory": "unknown" if noise.memory_speed is None else f"{noise.memory_speed:.1f} GB/s",
        "grade": " ".join((f"{grade}.", *noise.reasons)),
    }


def _jitter(noise: NoiseFloor) -> str:
    words = (
        f"a run takes {noise.loop_latency:.3f} ms, the middle half within {noise.loop_spread:.1%}"
    )
    if noise.loop_p99 is None:
        return words
    return f"{words}, the slowest 1% at least {1 + noise.loop_p99:.2f} times as long"


def _other_load(noise: NoiseFloor, processors: int) -> str:
    if noise.other_cores is None:
        return "unknown"
    return f"{noise.other_cores:.2f} of {processors} processors"


def _distance(noise: NoiseFloor) -> str:
    if noise.processor_distance is None:
        return "their distance is unknown"
    apart = ", on different core complexes" if noise.processors_apart else ""
    return (
        f"{noise.processor_distance:.1f} times as long to read what another one wrote as "
        f"its own{apart}"
    )


def _facts(facts: Mapping[str, str], width: int | None) -> Iterator[str]:
    """A line per fact, the values in one column."""
    column = max(map(len, facts))
    for name, value in facts.items():
        yield from _wrapped(value, f"{name:<{column}}  ", width)


def _wrapped(text: str, start: str, width: int | None) -> Iterable[str]:
    """A text after the start of its line; the lines that follow are indented as much."""
    if width is None or not text:
        return [f"{start}{text}".rstrip()]
    return textwrap.wrap(
        text,
        max(width, len(start) + LEAST_WIDTH),
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )


def plugin_lines(plugins: Iterable[PluginInfo]) -> list[str]:
    """What each plugin is, what it adds, and its problems."""
    found = list(plugins)
    if not found:
        return ["No plugins are installed; docs/plugins.md shows how to write one."]
    return [line for plugin in found for line in _lines(plugin)]


def _lines(plugin: PluginInfo) -> Iterator[str]:
    yield f"{plugin.name} {plugin.version}".rstrip()
    yield f"    from:       {plugin.source}" + (f" in {plugin.location}" if plugin.location else "")
    for kind in KINDS:
        names = getattr(plugin, kind)
        if names:
            yield f"    {kind + ':':<12}{', '.join(names)}"
    for problem in plugin.problems:
        yield f"    {'problem:':<12}{problem}"
