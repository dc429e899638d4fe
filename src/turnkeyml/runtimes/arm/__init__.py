"""64-bit ARM CPUs, with the runtimes of the x86 CPUs."""

from dataclasses import replace

from turnkeyml.runtimes import x86

DEVICE = replace(
    x86.DEVICE,
    name="arm",
    title="64-bit ARM CPUs",
    machines=("aarch64", "arm64", "ARM64"),
    runtimes_of=x86.DEVICE.name,
)
