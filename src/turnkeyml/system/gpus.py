"""The GPUs of this machine, as its driver or the PCI bus reports them; no library is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
SMI = "nvidia-smi"
SMI_SECONDS = 10.0
"""It starts the driver where nothing else has; one that hangs must not hang us."""
DISPLAY_CLASS = "0x03"
VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
"""Whose devices compute; the display of a virtual machine or of a server's console does not."""


@dataclass(frozen=True)
class Gpu:
    """A GPU; what its driver does not tell is empty."""

    name: str
    driver: str = ""
    memory_bytes: int | None = None


def find_gpus(root: Path = ROOT) -> list[Gpu]:
    """Every GPU; of one without a driver only the vendor and the number of the model."""
    working = _from_driver()
    others = [gpu for gpu in _from_bus(root) if not (working and gpu.name.startswith("NVIDIA"))]
    return working + others


def _from_driver() -> list[Gpu]:
    import shutil
    import subprocess

    program = shutil.which(SMI)
    if program is None:
        return []
    query = "--query-gpu=name,driver_version,memory.total"
    command = [program, query, "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SMI_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return [gpu for line in lines if (gpu := _parsed(line)) is not None]


def _parsed(line: str) -> Gpu | None:
    fields = [field.strip() for field in line.split(",")]
    if len(fields) != 3 or not fields[0]:
        return None
    mebibytes = int(fields[2]) if fields[2].isdigit() else None
    return Gpu(fields[0], fields[1], None if mebibytes is None else mebibytes << 20)


def _from_bus(root: Path) -> list[Gpu]:
    found = []
    for folder in sorted((root / "sys/bus/pci/devices").glob("*")):
        try:
            kind, vendor, model = (
                (folder / name).read_text().strip() for name in ("class", "vendor", "device")
            )
        except OSError:
            continue
        if kind.startswith(DISPLAY_CLASS) and vendor in VENDORS:
            found.append(Gpu(f"{VENDORS[vendor]} GPU, PCI device {model.removeprefix('0x')}"))
    return found
