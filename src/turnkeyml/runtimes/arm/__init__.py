"""64-bit ARM CPUs, with the runtimes of the x86 CPUs."""

from turnkeyml.runtimes.contract import Device
from turnkeyml.system.machine import cpu_name

__all__ = ["DEVICE"]

DEVICE = Device(
    "arm",
    "64-bit ARM CPUs",
    default_runtime="ort",
    describe=cpu_name,
    machines=("aarch64", "arm64", "ARM64"),
    runtimes_of="x86",
)
