"""Intel and AMD x86 CPUs."""

from turnkeyml.runtimes.contract import Device
from turnkeyml.system.machine import cpu_name

__all__ = ["DEVICE"]

DEVICE = Device(
    "x86", "Intel and AMD x86 CPUs", default_runtime="ort", describe=cpu_name, is_host=True
)
