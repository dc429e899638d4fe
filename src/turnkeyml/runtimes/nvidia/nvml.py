"""What NVIDIA's driver says about a GPU: NVML, the library behind nvidia-smi, through ctypes.

The driver brings the library, so that nothing has to be installed. It is not CUDA: asking it
neither opens the GPU nor keeps this process from forking afterwards.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator
from typing import Any

from turnkeyml.errors import MeasureError

LIBRARIES = ("libnvidia-ml.so.1", "nvml.dll")
NO_DRIVER = "there is no NVIDIA driver here; install one from https://www.nvidia.com/drivers"
NO_GPU = "the NVIDIA driver finds no GPU in this machine; see what nvidia-smi says"

TEXT_BYTES = 96
MOST_PROCESSES = 256
SM_CLOCK, MEMORY_CLOCK = 1, 2
TEMPERATURE_OF_GPU = 0
UNKNOWN_MEMORY = 2**64 - 1
"""What NVML says of a process whose memory it may not tell."""
TOO_SMALL = 7
"""NVML_ERROR_INSUFFICIENT_SIZE."""

REASONS = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "heat (driver)",
    0x40: "heat (hardware)",
    0x80: "power brake",
}
"""The throttle reasons that make a GPU slower than it could be; idling is none."""


class _Memory(ctypes.Structure):
    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


class _Process(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


class _NvmlError(Exception):
    """A call of NVML failed."""

    def __init__(self, code: int) -> None:
        super().__init__(f"NVML error {code}")
        self.code = code


class _Nvml:
    """The library, initialised."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.call("nvmlInit_v2")

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; an error if it fails or if this driver does not have it."""
        function = getattr(self._library, name, None)
        if function is None:
            raise _NvmlError(13)  # NVML_ERROR_FUNCTION_NOT_FOUND
        code = function(*arguments)
        if code:
            raise _NvmlError(code)

    def number(self, name: str, *arguments: Any, kind: Any = ctypes.c_uint) -> int | None:
        """The number that a function gives; None if this GPU does not have it."""
        value = kind()
        try:
            self.call(name, *arguments, ctypes.byref(value))
        except _NvmlError:
            return None
        return int(value.value)

    def text(self, name: str, *arguments: Any) -> str:
        buffer = ctypes.create_string_buffer(TEXT_BYTES)
        try:
            self.call(name, *arguments, buffer, ctypes.c_uint(TEXT_BYTES))
        except _NvmlError:
            return ""
        return buffer.value.decode("utf-8", errors="replace")


class NvmlGpu:
    """One GPU, as NVML knows it."""

    def __init__(self, nvml: _Nvml, handle: ctypes.c_void_p) -> None:
        self._nvml = nvml
        self._handle = handle

    @functools.cached_property
    def name(self) -> str:
        return self._nvml.text("nvmlDeviceGetName", self._handle)

    @functools.cached_property
    def uuid(self) -> str:
        return self._nvml.text("nvmlDeviceGetUUID", self._handle)

    @functools.cached_property
    def driver(self) -> str:
        """The version of the driver."""
        return self._nvml.text("nvmlSystemGetDriverVersion")

    @property
    def memory_used_bytes(self) -> int | None:
        """By everyone."""
        memory = _Memory()
        try:
            self._nvml.call("nvmlDeviceGetMemoryInfo", self._handle, ctypes.byref(memory))
        except _NvmlError:
            return None
        return int(memory.used)

    @property
    def energy_joules(self) -> float | None:
        """Since the driver was loaded; only of some GPUs."""
        name = "nvmlDeviceGetTotalEnergyConsumption"
        found = self._nvml.number(name, self._handle, kind=ctypes.c_ulonglong)
        return None if found is None else found / 1e3

    @property
    def power_watts(self) -> float | None:
        found = self._nvml.number("nvmlDeviceGetPowerUsage", self._handle)
        return None if found is None else found / 1e3

    @property
    def sm_clock_mhz(self) -> int | None:
        return self._nvml.number("nvmlDeviceGetClockInfo", self._handle, SM_CLOCK)

    @property
    def memory_clock_mhz(self) -> int | None:
        return self._nvml.number("nvmlDeviceGetClockInfo", self._handle, MEMORY_CLOCK)

    @property
    def temperature(self) -> int | None:
        """Degrees Celsius."""
        name = "nvmlDeviceGetTemperature"
        return self._nvml.number(name, self._handle, TEMPERATURE_OF_GPU)

    @property
    def throttle_reasons(self) -> list[str] | None:
        """Why it runs slower than it could, in words; None if it does not tell."""
        name = "nvmlDeviceGetCurrentClocksThrottleReasons"
        found = self._nvml.number(name, self._handle, kind=ctypes.c_ulonglong)
        if found is None:
            return None
        return [word for bit, word in REASONS.items() if found & bit]

    def processes(self) -> dict[int, int | None] | None:
        """The bytes of each process that computes on it, by its id; None if it does not tell."""
        count = ctypes.c_uint(MOST_PROCESSES)
        found = (_Process * MOST_PROCESSES)()
        for version in ("_v3", "_v2"):
            name = f"nvmlDeviceGetComputeRunningProcesses{version}"
            try:
                self._nvml.call(name, self._handle, ctypes.byref(count), found)
            except _NvmlError as error:
                if error.code == TOO_SMALL:
                    return None
                continue
            return {p.pid: _known(p.memory) for p in found[: count.value]}
        return None

    def foreign_processes(self) -> list[int] | None:
        """The processes of others that compute on it; None if nobody can tell.

        In a container the driver may know our processes by other numbers than we do.
        """
        found = self.processes()
        if found is None or (found and os.getpid() not in found):
            return None
        return sorted(pid for pid in found if not _is_ours(pid))


class NvmlMonitor:
    """The conditions of a GPU, for the record of a measurement."""

    def __init__(self, gpu: NvmlGpu) -> None:
        self._gpu = gpu

    def look(self) -> dict[str, Any]:
        """What it is and how it is doing now; what it does not tell is left out."""
        gpu = self._gpu
        foreign = gpu.foreign_processes()
        found = {
            "name": gpu.name,
            "uuid": gpu.uuid,
            "driver": gpu.driver,
            "sm_clock_mhz": gpu.sm_clock_mhz,
            "memory_clock_mhz": gpu.memory_clock_mhz,
            "temperature_celsius": gpu.temperature,
            "power_watts": gpu.power_watts,
            "memory_used_bytes": gpu.memory_used_bytes,
            "throttle_reasons": gpu.throttle_reasons,
            "foreign_processes": None if foreign is None else len(foreign),
        }
        return {name: value for name, value in found.items() if value is not None}

    def energy(self) -> float | None:
        """Joules since the driver was loaded; None if the GPU does not count them."""
        return self._gpu.energy_joules


def gpu_index(device: str) -> int:
    """The number of the GPU in the name of a device: 1 for ``nvidia::1``, 0 without a number."""
    part = device.split("::")[1:2]
    return int(part[0]) if part and part[0].isdigit() else 0


def gpu_names() -> list[str]:
    """The names of the GPUs that this process may use, in the order of their numbers."""
    nvml = _load()
    if nvml is None:
        return []
    return [gpu.name for gpu in _gpus(nvml)]


def find_gpu(index: int = 0) -> NvmlGpu | None:
    """The GPU of that number as CUDA counts them; None without a driver or such a GPU."""
    nvml = _load()
    found = list(_gpus(nvml)) if nvml is not None else []
    return found[index] if index < len(found) else None


def require_gpu(index: int = 0) -> NvmlGpu:
    """The GPU of that number; an error that says what is missing if there is none."""
    nvml = _load()
    if nvml is None:
        raise MeasureError(f"{NO_DRIVER}.")
    found = list(_gpus(nvml))
    if not found:
        raise MeasureError(f"{NO_GPU}.")
    if index >= len(found):
        count = f"{len(found)} GPU{'s' if len(found) > 1 else ''}"
        raise MeasureError(
            f"there is no GPU {index} here: the driver finds {count}, numbered from 0."
        )
    return found[index]


@functools.cache
def _load() -> _Nvml | None:
    """NVML; None where there is no driver, or one that does not work."""
    for name in LIBRARIES:
        try:
            return _Nvml(ctypes.CDLL(name))
        except (OSError, _NvmlError):
            continue
    return None


def _gpus(nvml: _Nvml) -> Iterator[NvmlGpu]:
    """The GPUs in the order in which CUDA counts them, without those that are hidden from it."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        names: list[str] = list(map(str, range(nvml.number("nvmlDeviceGetCount_v2") or 0)))
    else:
        names = [name.strip() for name in visible.split(",")]
    for name in names:
        handle = ctypes.c_void_p()
        try:
            if name.isdigit():
                nvml.call(
                    "nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(int(name)), ctypes.byref(handle)
                )
            else:
                nvml.call("nvmlDeviceGetHandleByUUID", name.encode(), ctypes.byref(handle))
        except _NvmlError:
            return  # CUDA, too, ignores what follows an unknown name
        yield NvmlGpu(nvml, handle)


def _known(memory: int) -> int | None:
    return None if memory == UNKNOWN_MEMORY else memory


def _is_ours(pid: int) -> bool:
    """Whether a process belongs to this run: the workers of a race are in one process group."""
    try:
        return os.getpgid(pid) == os.getpgrp()
    except OSError:
        return False
