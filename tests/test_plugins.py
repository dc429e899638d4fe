"""Plugins: installed into an environment of their own, and used through the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import jsonschema
import pytest
import yaml

from turnkeyml.report import document_schema
from turnkeyml.runtimes import Device, Runtime

from .conftest import EXAMPLES

pytestmark = pytest.mark.slow

HELLO = EXAMPLES / "scripts" / "hello_world.py"
PLUGINS = EXAMPLES / "plugins"
SOURCE = Path(__file__).parent.parent / "src"
BUILD = "hello_world_24adc42f"


class Environment:
    """A Python environment with plugins, which borrows all other packages from this one."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder / "venv", with_pip=False)
        self.python = folder / "venv" / "bin" / "python"
        (self.packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
        borrowed = [str(SOURCE), *(p for p in sys.path if p.endswith("-packages"))]
        (self.packages / "borrowed.pth").write_text("\n".join(borrowed))
        self.cache = folder / "cache"

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return subprocess.run(
            [str(self.python), *map(str, words)],
            capture_output=True,
            text=True,
            env={**environment, "TURNKEY_CACHE_DIR": str(self.cache)},
        )

    def install(self, *words: object) -> None:
        pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
        done = self.run(*pip, *words)
        assert done.returncode == 0, done.stdout + done.stderr

    def turnkey(self, *words: object) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "turnkeyml", *words)

    def measure(self, *words: object) -> dict:
        """The record of a measurement of the small example."""
        done = self.turnkey(HELLO, "--iterations", "20", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        stats = yaml.safe_load((self.cache / BUILD / "turnkey_stats.yaml").read_text())
        kept = {"build": stats.get("build"), "printed": done.stdout, "warned": done.stderr}
        return {**stats["evaluations"][-1], **kept}

    def write(self, name: str, text: str) -> None:
        """A package, as if it were installed."""
        (self.packages / name).mkdir()
        (self.packages / name / "__init__.py").write_text(textwrap.dedent(text))

    def enter(self, name: str, value: str) -> None:
        """The metadata of a distribution with an entry point."""
        folder = self.packages / f"{name}-2.5.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.5\n")
        (folder / "entry_points.txt").write_text(f"[turnkeyml.plugins]\n{name} = {value}\n")


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment with the three examples, installed by pip."""
    made = Environment(tmp_path_factory.mktemp("plugins"))
    names = ("example_rt", "example_seq", "example_combined")
    copies = [shutil.copytree(PLUGINS / name, made.cache.parent / name) for name in names]
    made.install(*copies)
    return made


def test_they_are_listed_with_what_they_add(installed):
    printed = installed.turnkey("plugins").stdout
    assert "example-combined 0.1.0" in printed
    assert "from:       entry point example_combined:PLUGIN in " in printed
    assert "devices:    abacus" in printed
    assert "runtimes:   beads on abacus" in printed
    assert "sequences:  abacus-fp32" in printed
    assert "stages:     label_model" in printed
    assert "turnkeyml_plugin_example_rt 0.1.0" in printed
    assert "runtimes:   example-rt on x86, example-self-timed on x86" in printed
    document = json.loads(installed.turnkey("plugins", "--json").stdout)
    jsonschema.validate(document, document_schema())
    assert [p["problems"] for p in document["plugins"]] == [[], [], []]


def test_the_help_and_system_info_have_them(installed):
    text = " ".join(installed.turnkey("benchmark", "--help").stdout.split())
    assert "abacus::soroban::ivory" in text
    assert "beads on abacus" in text
    assert "hands (beads): the number of hands, 1 or 2" in text
    assert "delay (example-rt): default '0'" in text
    assert "example-seq" in text
    assert "beads" in installed.turnkey("system-info").stdout


def test_a_runtime_class_with_infer_is_timed_and_verified_as_any(installed):
    found = installed.measure("--runtime", "example-rt", "--rt-args", "delay::0.002")
    assert found["verification"]["verdict"] == "match"
    assert found["runtime_version"] == "1.0"
    assert found["performance"]["min_latency"] >= 2.0
    assert found["performance"]["samples"] == 20
    assert found["conditions"]["settings"] == {"delay": "0.002"}
    assert found["stats"]["nodes"] >= 1
    assert "nodes:" in found["printed"]
    refused = installed.turnkey(HELLO, "--runtime", "example-rt", "--rt-args", "dely::1")
    assert refused.returncode == 2
    assert "The runtime example-rt has no argument dely; choose from: delay." in refused.stderr


def test_what_a_runtime_class_measures_by_itself_is_marked_as_such(installed):
    found = installed.measure("--runtime", "ort", "example-self-timed")
    assert found["runtime"] == "example-self-timed"
    assert found["verification"]["verdict"] == "not checked"
    assert "does not see its outputs" in found["verification"]["reason"]
    assert [flag["kind"] for flag in found["performance"]["flags"]] == ["self-reported"]
    assert found["performance"]["stopped"] == "self-reported"
    assert found["performance"]["iterations"] == 20
    assert found["grade"] == "D"
    assert "Self-reported:  20 runs" in found["printed"]
    assert found["printed"].count("Median:") == 1
    (row,) = [w for w in found["printed"].splitlines() if "example-self-timed fp32  " in w]
    assert row.split()[3:] == ["D", "not", "checked"], "it has no speed-up"


def test_a_sequence_of_a_plugin_builds(installed):
    found = installed.measure("--sequence", "example-seq")
    assert found["build"]["documentation"] == "removed"
    assert found["build"]["sequence"] == [
        "export_pytorch",
        "optimize_onnx",
        "remove_documentation",
        "set_success",
    ]
    assert found["verification"]["verdict"] == "match"


def test_a_device_of_a_plugin_has_parts_and_configurations(installed):
    found = installed.measure("--device", "abacus::soroban::ivory", "--rt-args", "hands::1")
    assert (found["device_type"], found["runtime"]) == ("abacus::soroban::ivory", "beads")
    assert found["device"] == "Abacus with 13 rods"
    assert found["conditions"]["settings"] == {"device": "abacus::soroban::ivory", "hands": 1}
    assert found["build"]["labelled"] is True
    assert found["verification"]["verdict"] == "match"
    assert found["samples_file"] == "abacus_soroban_ivory_benchmark/beads/samples.npz"
    words = ("--device", "abacus", "--iterations", "20", "--json")
    again = json.loads(installed.turnkey("cache", "benchmark", BUILD, *words).stdout)
    (evaluation,) = again["builds"][0]["evaluations"]
    assert evaluation["device_type"] == "abacus::soroban::wood"
    assert evaluation["verification"]["verdict"] == "match"
    unknown = installed.turnkey(HELLO, "--device", "abacus::plastic")
    assert unknown.returncode == 2
    assert "Unknown device 'abacus::plastic'; choose from: x86, nvidia, abacus," in unknown.stderr


RUNTIME = """
    from turnkeyml.runtimes.contract import Device, Plugin, Runtime

    class Mine(Runtime):
        name, title, device = "NAME", "Mine", "DEVICE"

        def version(self):
            return "1"

        def open(self, request):
            raise OSError("no beads left")

        CHECK

    PLUGIN = Plugin(runtimes=(Mine,))
"""


def runtime(name="mine", device="x86", check="pass"):
    return RUNTIME.replace("NAME", name).replace("DEVICE", device).replace("CHECK", check)


def test_a_plugin_that_cannot_be_imported_stops_nobody_else(environment):
    environment.write("turnkeyml_plugin_broken", "import no_such_library")
    environment.write("turnkeyml_plugin_quits", "raise SystemExit('I quit')")
    environment.write("turnkeyml_plugin_empty", "")
    environment.write("fine", runtime())
    environment.enter("fine", "fine:PLUGIN")
    environment.enter("wrong", "fine:Device")
    found = environment.measure()
    assert found["verification"]["verdict"] == "match"
    warnings = [line for line in found["warned"].splitlines() if "warning" in line]
    assert warnings == [
        "turnkey: warning: The plugin turnkeyml_plugin_broken cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_library'; repair it.",
        "turnkey: warning: The plugin turnkeyml_plugin_empty has no dictionary 'implements'; "
        "define it in turnkeyml_plugin_empty/__init__.py.",
        "turnkey: warning: The plugin turnkeyml_plugin_quits cannot be imported: "
        "SystemExit: I quit; repair it.",
        "turnkey: warning: The plugin wrong has an entry point fine:Device that is no "
        "turnkeyml.runtimes.contract.Plugin; change it, or run 'pip uninstall wrong'.",
    ]
    listed = environment.turnkey("plugins")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "fine 2.5" in listed.stdout
    assert "problem:    The plugin turnkeyml_plugin_quits cannot" in listed.stdout


def test_a_plugin_cannot_take_a_name_that_exists(environment):
    environment.write("first", runtime())
    environment.enter("first", "first:PLUGIN")
    environment.write(
        "second", runtime().replace("Plugin(", "Plugin(sequences={'onnx-fp32': ()}, ")
    )
    environment.enter("second", "second:PLUGIN")
    environment.write("third", runtime("ort"))
    environment.enter("third", "third:PLUGIN")
    environment.write("fourth", runtime(device="moon"))
    environment.enter("fourth", "fourth:PLUGIN")
    lone = "from turnkeyml.runtimes.contract import Device, Plugin\n"
    lone += "PLUGIN = Plugin((Device('x86', 'X', 'r', str), Device('lone', 'Lone', 'r', str)))"
    environment.write("fifth", lone)
    environment.enter("fifth", "fifth:PLUGIN")
    printed = environment.turnkey("plugins").stdout
    taken = "claims the runtime {} of the device x86, which exists already; rename it, or run"
    assert f"The plugin second {taken.format('mine')} 'pip uninstall second'." in printed
    assert "The plugin second claims the sequence onnx-fp32, which exists already" in printed
    assert f"The plugin third {taken.format('ort')}" in printed
    assert "The plugin fourth has a runtime mine for the device 'moon', which does not" in printed
    assert "The plugin first" not in printed
    assert "The plugin fifth claims the device x86, which exists already" in printed
    assert "has a device lone whose default runtime 'r' does not exist" in printed


def test_a_runtime_that_fails_is_a_row_and_not_a_crash(environment):
    environment.write("fails", runtime())
    environment.enter("fails", "fails:PLUGIN")
    done = environment.turnkey(HELLO, "--runtime", "mine")
    assert done.returncode == 1
    assert "Failed to benchmark with mine: " in done.stdout
    assert "no beads left" in done.stdout


def test_a_device_that_is_not_ready_is_said_before_anything_is_built(environment):
    check = "def check(self): raise OSError('no driver; install one')"
    environment.write("absent", runtime(check=check))
    environment.enter("absent", "absent:PLUGIN")
    done = environment.turnkey(HELLO, "--runtime", "mine")
    assert (done.returncode, done.stdout) == (1, "")
    wanted = "The runtime mine cannot be used on x86: OSError: no driver; install one"
    assert wanted in done.stderr
    assert not (environment.cache / BUILD).exists()
    assert "no driver; install one" in environment.turnkey("system-info").stdout


def test_the_check_of_a_dictionary_is_called_too(environment):
    environment.write(
        "turnkeyml_plugin_old",
        """
        from turnkeyml.run.basert import BaseRT

        class Old(BaseRT):
            @staticmethod
            def device_name():
                return "Old"

        def check():
            raise RuntimeError("plug it in")

        implements = {
            "runtimes": {
                "old": {
                    "RuntimeClass": Old,
                    "supported_devices": {"attic": {"box": ["open", "shut"]}},
                    "requirement_check": check,
                },
                "older": {"supported_devices": {"x86"}},
            },
            "tools": [],
        }
        """,
    )
    done = environment.turnkey(HELLO, "--device", "attic::box::shut")
    assert done.returncode == 1
    assert "cannot be used on attic::box::shut: RuntimeError: plug it in" in done.stderr
    assert "has a runtime 'older' without a 'RuntimeClass'" in done.stderr
    assert "implements 'tools', which turnkey does not know" in done.stderr


def test_a_live_model_without_a_build_can_be_measured_by_a_class(environment):
    environment.write(
        "turnkeyml_plugin_live",
        """
        from turnkeyml.common.performance import MeasuredPerformance
        from turnkeyml.run.basert import BaseRT

        class Live(BaseRT):
            def __init__(self, cache_dir, build_name, stats, iterations, device_type,
                         runtime="live", tensor_type=None, model=None, inputs=None):
                super().__init__(
                    cache_dir=cache_dir, build_name=build_name, stats=stats,
                    device_type=device_type, runtime=runtime, iterations=iterations,
                    runtimes_supported=["live"], runtime_version="0.0.0", base_path="",
                    model=model, inputs=inputs)

            def _setup(self):
                pass

            def benchmark(self):
                self.model(*self.inputs.values())
                self.stats.save_model_eval_stat("points", 42)
                return MeasuredPerformance(self.mean_latency, self.throughput)

            mean_latency, throughput = 4.0, 250.0

            @staticmethod
            def device_name():
                return "the CPU of your dreams"

        implements = {"runtimes": {"live": {
            "build_required": False, "RuntimeClass": Live, "supported_devices": {"x86"},
            "status_stats": ["points"]}}}
        """,
    )
    found = environment.measure("--runtime", "live")
    assert found["performance"]["mean_latency"] == pytest.approx(4.0)
    assert found["performance"]["throughput"] == pytest.approx(250.0)
    assert found["verification"]["verdict"] == "not checked"
    assert found["stats"] == {"points": 42}
    assert found["runtime_version"] == "0.0.0"


PAGE = Path(__file__).parent.parent / "docs" / "plugins.md"


def test_the_plugin_of_the_page_works(environment, tmp_path):
    files = re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(files) == 5
    for name, text in files:
        (tmp_path / "npu" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "npu" / name).write_text(text)
    environment.install("-e", tmp_path / "npu")
    listed = environment.turnkey("plugins").stdout
    shown = re.search(r"^my-npu 1.0\n.*?(?=^\$)", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    folder = str(tmp_path / "npu" / "my_npu")
    assert listed == shown[0].replace("…/my_npu", folder)
    words = ("--device", "npu::large::cool", "--rt-args", "tiles::8", "--iterations", "20")
    done = environment.turnkey(tmp_path / "npu" / "hello.py", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Successfully benchmarked on My NPU v2 (npu-rt v" in done.stdout
    assert "tiles_used:     1" in done.stdout
    assert "Verification:" not in done.stdout
    assert "Not measured" not in done.stdout

    environment.write(
        "serving",
        """
        from my_npu.serving import ServingRuntime
        from turnkeyml.runtimes.contract import Plugin
        PLUGIN = Plugin(runtimes=(ServingRuntime,))
        """,
    )
    environment.enter("serving", "serving:PLUGIN")
    words = ("--device", "npu", "--runtime", "npu-serving", "--concurrency", "2", "--quick")
    load = (*words, "--instances", "2")
    done = environment.turnkey(tmp_path / "npu" / "hello.py", *load)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "with 2 instances of 1 thread each" in done.stdout

    page = tmp_path / "npu" / "my_npu" / "serving.py"
    page.write_text(page.read_text().replace("lane.feed(self.recorded)", "pass"))
    done = environment.turnkey(tmp_path / "npu" / "hello.py", *load)
    assert "turnkey feeds only the first one, and lanes() the others" in done.stdout


def test_light_commands_import_no_plugin(environment):
    environment.write("turnkeyml_plugin_loud", "raise RuntimeError('imported')")
    for words in (["version"], ["--help"], ["cache", "list"], ["models", "location"]):
        assert "imported" not in environment.turnkey(*words).stderr


def test_without_plugins_their_library_is_not_imported(environment):
    code = (
        "import sys; from turnkeyml.runtimes import all_devices; all_devices(); "
        "print('importlib.metadata' in sys.modules, 'numpy' in sys.modules)"
    )
    assert environment.run("-c", code).stdout.split() == ["False", "False"]
    assert "No plugins are installed" in environment.turnkey("plugins").stdout


def test_a_family_stands_for_its_first_part_in_its_first_configuration():
    device = Device("a", "A", "r", str, parts={"b": ("c", "d"), "e": ()})
    names = list(device.names())
    assert names == ["a", "a::b", "a::b::c", "a::b::d", "a::e"]
    resolved = [found.name for name in names if (found := device.at(name))]
    assert resolved == ["a::b::c", "a::b::c", "a::b::c", "a::b::d", "a::e"]
    assert device.at("a::x") is None
    assert Device("a", "A", "r", str).at("a") == Device("a", "A", "r", str)


def test_a_runtime_may_support_some_parts_only():
    class Some(Runtime):
        only_on = ("a::b",)

        def version(self):
            return ""

        def open(self, request):
            raise NotImplementedError

    assert [Some().supports(name) for name in ("a::b", "a::b::c", "a::bc")] == [True, True, False]
