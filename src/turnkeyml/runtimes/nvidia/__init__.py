"""GPUs of NVIDIA."""

from __future__ import annotations

from turnkeyml.runtimes.contract import Device

MOST = 8
"""GPUs in one machine that have names: ``nvidia::0`` to ``nvidia::7``. They are named whether they
exist or not, as those of a node of a cluster or of another machine are not known here."""


def _describe() -> str:
    """The names of the GPUs in this machine."""
    from turnkeyml.runtimes.nvidia.nvml import gpu_names

    return ", ".join(gpu_names()) or "no NVIDIA GPU"


DEVICE = Device(
    "nvidia",
    "NVIDIA GPUs",
    default_runtime="trt",
    describe=_describe,
    parts={str(number): () for number in range(MOST)},
    default_name="nvidia",
)
