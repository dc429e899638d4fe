"""``turnkey system-info``: the machine, what can be used on it, and its noise floor."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminal import read_terminal
from turnkeyml import system_info
from turnkeyml.display import system_lines
from turnkeyml.measure import LIMITS, noise
from turnkeyml.nouns import DeviceInfo, Grade, RuntimeInfo
from turnkeyml.runtimes import registry
from turnkeyml.system import GpuInfo, cpu_name, find_gpus


@pytest.fixture(scope="module")
def info():
    return system_info()


def test_it_has_every_device_and_runtime(info):
    found = {(d.name, r.name) for d in info.devices for r in d.runtimes}
    assert found == {(r.device, r.name) for r in registry.all_runtimes()}
    assert info.devices[0].default


def test_the_noise_floor_is_measured_and_graded(info):
    floor = info.noise
    assert 1.0 < floor.seconds < 10.0
    assert 1 < floor.timer_nanoseconds < 100_000
    assert floor.loop_latency > 0
    assert floor.loop_spread >= 0
    assert floor.memory_speed > 0
    assert floor.reasons
    assert all(reason.endswith(".") for reason in floor.reasons)
    if floor.grade is not Grade.D:
        assert floor.margin <= LIMITS[floor.grade]


BUSY = "while True: pass"


def test_other_load_costs_the_grade_and_is_the_reason():
    command = [sys.executable, "-c", BUSY]
    busy = [subprocess.Popen(command) for _ in os.sched_getaffinity(0)]
    try:
        floor = noise.noise_floor()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert floor.other_cores > 0.3 * len(busy)
    assert floor.grade in (Grade.C, Grade.D)
    assert any("Other programs kept" in reason for reason in floor.reasons)


def test_the_lines_fit_a_terminal(info):
    lines = system_lines(info, 80)
    assert max(map(len, lines)) <= 80
    unwrapped = system_lines(info)
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(unwrapped).split())


def test_through_a_pipe_a_fact_is_one_line(turnkey):
    done = turnkey("system-info")
    assert done.returncode == 0, done.stderr
    (grade,) = (line for line in done.stdout.splitlines() if line.startswith("grade"))
    assert grade.endswith(".")
    assert grade.split()[1] in "ABCD"
    assert "\x1b" not in done.stdout


def test_a_terminal_of_80_columns_gets_wrapped_lines():
    command = [sys.executable, "-m", "turnkeyml", "system-info"]
    code, shown = read_terminal(command, COLUMNS="80")
    assert code == 0
    lines = shown.splitlines()
    assert any(line.startswith("grade") for line in lines)
    assert max(len(line) for line in lines if "/" not in line) <= 80


def test_what_is_missing_and_what_is_in_the_way_is_said(info):
    missing = RuntimeInfo("one", "One", False, "", ("the Python module one (pip install one)",))
    blocked = RuntimeInfo("two", "Two", False, "2.0", (), "no driver; install one")
    device = DeviceInfo("box", "Boxes", False, "A box", (missing, blocked))
    text = "\n".join(system_lines(_with(info, devices=(device,))))
    assert "no, needs the Python module one (pip install one)" in text
    assert "no: no driver; install one" in text


def test_a_device_without_any_runtime_here_is_one_row(info):
    both = [RuntimeInfo(name, name, False, "", (), "not here") for name in ("one", "two")]
    device = DeviceInfo("box", "Boxes", False, "", tuple(both))
    lines = system_lines(_with(info, devices=(device,)))
    assert [line.split() for line in lines if line.startswith("box")] == [
        ["box", "all", "no:", "not", "here"]
    ]


def test_problems_of_plugins_are_shown(info):
    lines = system_lines(_with(info, plugin_problems=("The plugin x is broken; repair it.",)))
    assert "Plugins with problems:" in lines
    assert "  The plugin x is broken; repair it." in lines


def test_an_environment_without_numpy_is_described_too(turnkey, tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('broken')\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = turnkey("system-info", env={"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert "The noise floor needs numpy, which cannot be imported" in done.stdout
    assert "usable here" in done.stdout


def _with(info, **changes):
    from dataclasses import replace

    return replace(info, **changes)


def test_the_document_has_the_noise_floor(turnkey):
    done = turnkey("system-info", "--json")
    assert done.returncode == 0
    system = json.loads(done.stdout)["system"]
    assert system["noise"]["grade"] in "ABCD"
    assert system["noise"]["reasons"]
    assert isinstance(system["gpus"], list)
    assert system["plugin_problems"] == []


@pytest.fixture
def smi(tmp_path: Path, monkeypatch):
    """Puts a program of the driver's name on the path."""

    def install(text: str) -> None:
        program = tmp_path / "bin" / "nvidia-smi"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    return install


def test_gpus_are_those_of_the_driver(smi, tmp_path):
    smi("echo 'NVIDIA H200, 580.95, 143771'; echo 'NVIDIA Thor, 580.95, [N/A]'")
    assert find_gpus(tmp_path) == [
        GpuInfo("NVIDIA H200", "580.95", 143771 << 20),
        GpuInfo("NVIDIA Thor", "580.95", None),
    ]


def test_a_gpu_without_a_driver_is_found_on_the_bus(smi, tmp_path):
    smi("exit 9")
    for number, (kind, vendor) in enumerate([("0x030200", "0x10de"), ("0x030000", "0x1234")]):
        folder = tmp_path / f"sys/bus/pci/devices/0000:00:0{number}.0"
        folder.mkdir(parents=True)
        for name, text in (("class", kind), ("vendor", vendor), ("device", "0x2335")):
            (folder / name).write_text(text + "\n")
    assert find_gpus(tmp_path) == [GpuInfo("NVIDIA GPU, PCI device 2335")]


def test_an_arm_core_has_a_name(tmp_path):
    (tmp_path / "proc").mkdir()
    text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n"
    (tmp_path / "proc/cpuinfo").write_text(text)
    assert cpu_name(tmp_path) == "Arm Neoverse V1"
