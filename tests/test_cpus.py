"""CPU devices: the default is that of the machine, and all have the same runtimes."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES
from turnkeyml.runtimes import registry

SAMPLE = EXAMPLES / "onnx" / "sample.onnx"


@pytest.fixture
def pretend(tmp_path: Path, turnkey):
    """Runs the program on a machine that says that it has another processor."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, platform\nplatform.machine = lambda: os.environ['PRETEND_MACHINE']\n"
    )

    def run(machine: str, *words: object):
        import os

        path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        return turnkey(*words, env={"PRETEND_MACHINE": machine, "PYTHONPATH": path})

    return run


def test_every_cpu_has_the_same_runtime_classes():
    cpus = [device for device in registry.all_devices() if device.machines]
    assert {device.name for device in cpus} == {"arm", "x86"}
    classes = [{(r.name, type(r)) for r in registry.all_runtimes(d.name)} for d in cpus]
    assert classes[0] == classes[1]
    assert {r.device for r in registry.all_runtimes("arm")} == {"arm"}
    assert cpus[0].default_runtime == cpus[1].default_runtime


@pytest.mark.parametrize(
    ("machine", "name"), [("aarch64", "arm"), ("arm64", "arm"), ("x86_64", "x86")]
)
def test_the_default_device_is_that_of_the_machine(monkeypatch, machine, name):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert registry.default_device().name == name
    assert [d.name for d in registry.local_devices() if d.machines] == [name]


def test_an_arm_machine_measures_on_arm(pretend, cache):
    done = pretend("aarch64", SAMPLE, "--iterations", 5)
    assert done.returncode == 0, done.stderr
    (folder,) = cache.glob("*/arm_benchmark/ort")
    assert (folder / "samples.npz").exists()
    assert "device type: arm" in pretend("aarch64", "benchmark", "--help").stdout


@pytest.mark.parametrize(("machine", "device"), [("aarch64", "x86"), ("x86_64", "arm")])
def test_the_cpu_of_another_machine_is_refused_in_one_sentence(pretend, cache, machine, device):
    done = pretend(machine, SAMPLE, "--device", device)
    assert done.returncode == 1
    wanted = (
        f"The runtime ort cannot be used on {device}: "
        f"the processor of this machine is {machine}; leave out --device"
    )
    assert wanted in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(cache.glob("*/*_benchmark"))


def test_system_info_says_so_too(pretend):
    done = pretend("aarch64", "system-info")
    assert done.returncode == 0
    assert "arm (default)  ort" in done.stdout
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("x86"))
    assert row.split()[1:3] == ["all", "no:"]
    assert "the processor of this machine is aarch64" in row
