"""Intel and AMD x86 CPUs. Their runtimes are those of every CPU."""

from turnkeyml.runtimes.contract import Device
from turnkeyml.system import cpu_name

DEVICE = Device(
    "x86",
    "Intel and AMD x86 CPUs",
    default_runtime="ort",
    describe=cpu_name,
    machines=("x86_64", "AMD64", "amd64", "i686", "i386"),
)
