"""Options are declared once; the command line, the API and the page follow from that."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

import turnkeyml
from turnkeyml import api, benchmark_files, benchmark_model, race_files
from turnkeyml.api import make_plan
from turnkeyml.cli import COMMANDS as WORDS
from turnkeyml.cli import WITHOUT_OPTIONS, parse, translate
from turnkeyml.errors import MeasureError, UsageError, describe
from turnkeyml.options import (
    COMMANDS,
    BenchmarkOptions,
    RaceOptions,
    options_of,
    options_table,
    settle,
)
from turnkeyml.runtimes import Need, Runtime, registry

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "turnkeyml"
EVERY = [(command, o) for command in COMMANDS for o in options_of(*COMMANDS[command]).values()]


def spelled(command):
    """The words of a command, with a file where it needs one."""
    needed = {
        "benchmark": ["x.py"],
        "race": ["x.py"],
        "tune": ["x.py"],
        "explain": ["x.py"],
        "compare": ["a", "b"],
        "completion": ["bash"],
    }
    builds = ["b"] if command in ("cache stats", "cache print") else []
    return [*command.split(), *needed.get(command, builds)]


def test_the_page_is_current():
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    assert options_table() in page, "put what 'python -m turnkeyml.options' prints into the page"


def test_every_command_has_words_options_and_a_file():
    nested = [
        f"{name} {action}".strip() if isinstance(known, dict) else name
        for name, known in WORDS.items()
        for action in (filter(None, known) if isinstance(known, dict) else [""])
    ]
    assert sorted(nested) == sorted([*COMMANDS, *WITHOUT_OPTIONS])
    for command in nested:
        assert find_spec(f"turnkeyml.cli.{command.replace(' ', '_').replace('-', '_')}")


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_not_given_has_the_default_of_the_declaration(command):
    found = vars(parse(spelled(command)))
    optional = {o.name for c, o in EVERY if c == command and not o.positional}
    assert not optional & set(found)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_its_options_with_their_defaults(command, capsys):
    with pytest.raises(SystemExit):
        parse([*command.split(), "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for option in (o for c, o in EVERY if c == command):
        default = f" (default: {option.default_words()})" if option.default_words() else ""
        assert " ".join(f"{option.meaning()}{default}".split()) in text


def test_options_of_one_name_have_one_type_on_the_command_line_and_in_the_api():
    parameters = inspect.signature(benchmark_files).parameters
    for name, option in options_of(BenchmarkOptions).items():
        assert parameters[name].annotation == option.type
        assert parameters[name].default == option.default_value()
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def test_signatures_name_what_a_function_takes():
    assert next(iter(inspect.signature(benchmark_files).parameters)) == "input_files"
    assert inspect.signature(race_files).parameters["precision"].default == ("fp32",)
    assert "analyze_only" not in inspect.signature(race_files).parameters
    assert "on_result" in inspect.signature(benchmark_files).parameters
    assert "options" not in inspect.signature(benchmark_model).parameters


def test_an_unknown_keyword_names_the_nearest():
    with pytest.raises(TypeError, match=r"unexpected keyword .*'itertions'. Did you mean 'iter"):
        benchmark_files("x.py", itertions=3)
    with pytest.raises(TypeError, match=r"argument 'sequence'$"):
        race_files("x.py", sequence="onnx-fp32")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"analyze_only": True, "build_only": True}, "--build-only is not allowed with --analyze"),
        ({"iterations": 5, "quick": True}, "--quick is not allowed with --iterations; choose one"),
        ({"sequence": "onnx-fp32", "precision": "fp16"}, "--precision is not allowed with --seq"),
        ({"sequence_file": "x.py", "precision": "fp16"}, "--precision is not allowed with --seq"),
        ({"process_isolation": True, "use_slurm": True}, "--use-slurm is not allowed with --proc"),
        ({"precision": "fp7"}, "Unknown precision 'fp7'; choose from: fp32, fp16, int8, bf16."),
        ({"device": "abacus"}, "Unknown device 'abacus'; choose from: "),
        ({"retry": "all"}, "Unknown retry 'all'; choose from: failed."),
        ({"rebuild": "maybe"}, "Unknown rebuild policy 'maybe'; choose from: if_needed"),
        ({"iterations": 2.5}, "The number of iterations must be an integer of at least 1"),
        ({"rt_args": ["::1"]}, "A runtime argument must be key=value"),
        ({"memory_limit": "much"}, "The memory limit must be a size such as 8G"),
        ({"timeout": float("inf")}, "The timeout must be a number of seconds above 0"),
        ({"slurm_args": "mem=1G"}, "no effect without --use-slurm"),
        ({"use_slurm": True, "jobs": 2}, "use --slurm-max-jobs instead"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(options, sentence):
    with pytest.raises(UsageError) as raised:
        benchmark_files("x.py", **options)
    assert sentence in str(raised.value)


def test_values_come_in_the_form_in_which_they_are_used():
    found = settle(
        BenchmarkOptions,
        {
            "runtime": "ort",
            "rt_args": ["a::1", "b::[x, y]", "c"],
            "memory_limit": "2K",
            "script_args": "--a=1,--b 'c d'",
            "labels": ["x::1", "x::1"],
        },
    )
    assert found["runtime"] == ("ort",)
    assert found["rt_args"] == {"a": "1", "b": ["x", "y"], "c": True}
    assert found["memory_limit"] == 2048
    assert found["script_args"] == ("--a=1", "--b", "c d")
    assert found["labels"] == ("x::1",)
    assert settle(BenchmarkOptions, found) == found


def test_the_precisions_become_part_of_the_plan():
    assert make_plan().precisions == ()
    assert make_plan(precision=["fp16", "fp32"]).precisions == ("fp16", "fp32")
    assert settle(RaceOptions, {})["precision"] == ("fp32",)


class Demanding(Runtime):
    name = "demanding"
    title = "A runtime that is not installed"
    needs = (Need(module="no_such_module", install="pip install no-such-module"),)

    def version(self):
        raise NotImplementedError

    def open(self, request):
        raise NotImplementedError


@pytest.fixture
def demanding(monkeypatch):
    """A runtime of the default device that needs something that nobody has."""
    registry.all_devices()
    runtime = Demanding()
    runtime.device = registry.default_device().name
    monkeypatch.setitem(registry._runtimes, (runtime.device, runtime.name), runtime)
    return runtime


def test_a_runtime_that_cannot_be_used_is_refused_before_anything_runs(demanding):
    with pytest.raises(
        MeasureError, match=r"needs .*no_such_module \(pip install no-such-module\)"
    ):
        make_plan(runtime="demanding")
    assert make_plan(runtime="demanding", build_only=True).runtimes == ("demanding",)


def test_the_default_runtime_is_refused_as_well(demanding, monkeypatch):
    device = registry.default_device()
    monkeypatch.setitem(
        registry._devices, device.name, replace(device, default_runtime="demanding")
    )
    with pytest.raises(MeasureError, match=r"needs .*no_such_module"):
        make_plan()


def test_a_missing_library_of_ours_says_how_to_install_it():
    missing = ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime")
    assert describe(missing).endswith("'onnxruntime' (pip install onnxruntime)")
    other = ModuleNotFoundError("No module named 'cv2'", name="cv2")
    assert describe(other) == "ModuleNotFoundError: No module named 'cv2'"


def test_system_info_says_what_is_missing(demanding):
    device = next(d for d in api.system_info().devices if d.name == demanding.device)
    found = next(r for r in device.runtimes if r.name == "demanding")
    assert not found.available
    assert found.missing == ("the Python module no_such_module (pip install no-such-module)",)


def test_a_new_runtime_is_in_the_help(demanding):
    assert "demanding" in options_of(BenchmarkOptions)["runtime"].meaning()


def test_no_file_but_its_own_names_a_runtime_or_a_device():
    names = {r.name for r in registry.all_runtimes()} | {d.name for d in registry.all_devices()}
    for path in SOURCE.rglob("*.py"):
        if path.parent.parent == SOURCE / "runtimes":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)} & names
        assert not found, f"{path.relative_to(SOURCE)} names {found}"


def test_commands_load_only_what_they_need():
    check = (
        "import sys; from turnkeyml.cli.entry import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.startswith('turnkeyml.') and m.count('.') == 1])"
    )
    for words, unneeded in ((["version"], "options"), (["cache", "list"], "launch")):
        done = subprocess.run([sys.executable, "-c", check, *words], capture_output=True, text=True)
        assert f"'turnkeyml.{unneeded}'" not in done.stdout.splitlines()[-1], done.stderr


@pytest.mark.parametrize(
    ("words", "translated"),
    [
        ("x.py", "x.py --sequence optimize-fp16"),
        ("benchmark x.py", "benchmark x.py --sequence optimize-fp16"),
        ("x.py --runtime ort", "x.py --runtime ort --sequence optimize-fp16"),
        ("--runtime ort x.py", "x.py --runtime ort --sequence optimize-fp16"),
        ("x.py --sequence onnx-fp32", "x.py --sequence onnx-fp32"),
        ("x.py --sequence=onnx-fp32", "x.py --sequence=onnx-fp32"),
        ("x.py --sequence-file s.py", "x.py --sequence-file s.py"),
        ("x.py --precision fp32", "x.py --precision fp32"),
        ("x.py --runtime torch-eager", "x.py --runtime torch-eager"),
        ("x.onnx", "x.onnx"),
        ("race x.py", "race x.py"),
        ("cache list", "cache list"),
    ],
)
def test_benchit_builds_in_fp16_unless_told_otherwise(words, translated):
    assert translate(words.split()) == translated.split()


def test_the_public_names_are_documented():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in {
        *filter(str.islower, turnkeyml.__all__),
        "load_state",
        "MeasuredPerformance",
        "report",
    }:
        assert name in page


def test_devices_and_runtimes_are_ignored_where_nothing_is_measured():
    for only in ("analyze_only", "build_only"):
        plan = make_plan(device="abacus", runtime="beads", rt_args="wood::oak", **{only: True})
        assert plan.device == registry.default_device().name
        assert plan.runtimes == (registry.default_device().default_runtime,)
    with pytest.raises(UsageError, match="Unknown device 'abacus'"):
        make_plan(device="abacus")


def test_a_module_is_an_input_as_for_python():
    options = parse(["-m", "package.module::0123abcd", "--analyze-only"])
    assert options.input_files == ["-m package.module::0123abcd"]
    assert parse(["race", "script.py", "-m", "other"]).input_files == ["script.py", "-m other"]
    with pytest.raises(UsageError, match="-m needs the name of a module"):
        parse(["script.py", "-m"])
