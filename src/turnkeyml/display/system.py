"""The text of ``turnkey system-info``."""

from __future__ import annotations

from turnkeyml.display.listing import size_in_words
from turnkeyml.nouns.system import DeviceInfo, SystemInfo
from turnkeyml.report.tables import text_table

__all__ = ["system_lines"]


def system_lines(info: SystemInfo) -> list[str]:
    """The machine and the libraries, and a table of the devices and their runtimes."""
    facts = {
        "turnkey": info.turnkey_version,
        "Python": info.python_version,
        "platform": info.platform,
        "CPU": info.cpu,
        "cores": _cores(info),
        "memory": size_in_words(info.memory_bytes) if info.memory_bytes else "unknown",
        **{name: version or "not installed" for name, version in info.libraries.items()},
    }
    width = max(map(len, facts))
    lines = [f"{name:<{width}}  {value}" for name, value in facts.items()]
    header = ("device", "runtime", "version", "usable here")
    rows = [row for device in info.devices for row in _rows(device)]
    return [*lines, "", *text_table(header, rows)]


def _cores(info: SystemInfo) -> str:
    words = f"{info.usable_cores} usable, {info.processors} logical"
    return words if info.cpu_quota is None else f"{words}, a quota of {info.cpu_quota:g}"


def _rows(device: DeviceInfo) -> list[list[str]]:
    name = f"{device.name} (default)" if device.default else device.name
    return [
        [
            name,
            runtime.name,
            runtime.version,
            "yes" if runtime.available else f"no, needs {' and '.join(runtime.missing)}",
        ]
        for runtime in device.runtimes
    ]
