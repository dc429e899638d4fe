"""``--python``: the worker under another interpreter that has only numpy and the runtime."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import numpy
import onnx
import onnxruntime
import pytest

import turnkeyml
from turnkeyml import TurnkeyError, UsageError, race_files
from turnkeyml.api import make_plan
from turnkeyml.nouns import Place, answers_to, label_of
from turnkeyml.options import places
from turnkeyml.runtimes import find_runtime, read_nodes, require_elsewhere

from .conftest import EXAMPLES, SMALL_MODEL, evaluations, printed

SAMPLE = EXAMPLES / "onnx" / "sample.onnx"
LIBRARIES = {"numpy": numpy, "onnxruntime": onnxruntime}
posix = pytest.mark.skipif(os.name != "posix", reason="the environments are made of symbolic links")


def environment(folder: Path, *modules: str) -> Path:
    """The interpreter of a new environment that has these of our modules and no others."""
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for module in modules:
        ours = Path(LIBRARIES[module].__file__).parent
        (site / module).symlink_to(ours)
        libraries = ours.with_name(f"{module}.libs")  # where wheels have their shared libraries
        if libraries.exists():
            (site / libraries.name).symlink_to(libraries)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    return environment(tmp_path_factory.mktemp("interpreters") / "bare", "numpy", "onnxruntime")


@pytest.fixture(scope="module")
def raced(bare, tmp_path_factory) -> tuple[Path, str]:
    """A cache after a race of two interpreters, and what the race printed."""
    folder = tmp_path_factory.mktemp("race")
    words = ["race", SAMPLE, "--python", f"ort-a={bare}", "--python", bare, "--iterations", 20]
    return folder, printed(*words, "--baseline", "bare", "-d", folder)


@posix
def test_interpreters_are_contestants_of_a_race(raced):
    _, text = raced
    rows = [line.split() for line in text.splitlines() if line.strip().startswith("ort")]
    assert rows[0][:2] == ["ort-a", "fp32"]
    assert rows[1][:4] == ["ort", "(python", "bare)", "fp32"]
    assert "(baseline)" in rows[1]
    assert all(row[-1] == "match" for row in rows[:2])


@posix
def test_the_record_describes_the_interpreter(raced, bare):
    found = evaluations(raced[0])
    assert [e["python"] for e in found] == ["ort-a", "bare"]
    for one in found:
        conditions = one["conditions"]
        assert conditions["python"] == str(bare)
        assert conditions["python_version"].startswith("3.")
        assert conditions["libraries"] == {
            "onnxruntime": onnxruntime.__version__,
            "numpy": numpy.__version__,
        }
        assert one["verification"]["verdict"] == "match"
    assert found[0]["samples_file"] != found[1]["samples_file"]


@posix
def test_reports_and_comparisons_show_them_apart(raced, tmp_path):
    cache, _ = raced
    printed("cache", "report", "-d", cache, "-r", tmp_path)
    (report,) = tmp_path.glob("*.csv")
    with report.open() as file:
        assert [row["python"] for row in csv.DictReader(file)] == ["ort-a", "bare"]
    for side in (cache, report):
        text = printed("compare", side, side)
        assert "ort-a fp32" in text
        assert "ort (python bare) fp32" in text
        assert "only in" not in text


@posix
def test_a_build_is_measured_again_where_it_was_not_yet(raced, bare, tmp_path):
    cache = tmp_path / "cache"
    shutil.copytree(raced[0], cache)
    words = ["cache", "benchmark", "sample*", "-d", cache, "--iterations", 20]
    printed(*words, "--python", f"ort-c={bare}", "--python", bare, "--skip", "successful")
    printed(*words, "--skip", "successful")
    assert [e["python"] for e in evaluations(cache)] == ["ort-a", "bare", "ort-c", ""]


@posix
def test_a_script_is_measured_under_another_interpreter(bare, script, turnkey, cache):
    path = script("SmallModel()(torch.rand(2, 4))")
    result = turnkey("--python", bare, path, "--iterations", 20)  # it takes one word: no file
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"(ort (python bare) v{onnxruntime.__version__})" in result.stdout


@posix
def test_another_interpreter_sees_this_package_and_not_what_lies_beside_it(bare, tmp_path):
    site = tmp_path / "site-packages"
    ignored = shutil.ignore_patterns("__pycache__", "models")
    shutil.copytree(Path(turnkeyml.__file__).parent, site / "turnkeyml", ignore=ignored)
    (site / "beside.py").write_text("")
    (site / "turnkeyml" / "told.py").write_text(
        "def main():\n"
        "    import importlib.util, json, sys, turnkeyml\n"
        "    beside = importlib.util.find_spec('beside') is not None\n"
        "    print(json.dumps([turnkeyml.__file__, sys.prefix, beside]))\n"
    )
    program = (
        "import subprocess, sys; from turnkeyml import interpreter; there = sys.argv[1]; "
        "words = interpreter.command('turnkeyml.told', python=there); "
        "subprocess.run(words, check=True, env=interpreter.surroundings(there))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(bare)],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [
        str(site / "turnkeyml" / "__init__.py"),
        str(bare.parent.parent),
        False,
    ]


@pytest.fixture
def broken(tmp_path) -> dict[str, Path]:
    """Paths that are no usable interpreters, by what is wrong with them."""

    def program(name: str, text: str) -> Path:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
        return tmp_path / name

    (tmp_path / "text").write_text("")
    environment(tmp_path / "folder")
    return {
        "absent": tmp_path / "absent",
        "folder": tmp_path / "folder",
        "text": tmp_path / "text",
        "other program": program("other", "echo hello"),
        "old": program("old", """echo '{"python": [3, 8, 18], "modules": ["numpy"]}'"""),
        "no numpy": environment(tmp_path / "empty"),
        "no runtime": environment(tmp_path / "lacking", "numpy"),
    }


@posix
@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("absent", "There is no Python interpreter {path}; "),
        ("folder", "{path} is a folder; give the path of a Python interpreter, such as {path}/bin"),
        ("text", "{path} is not executable; "),
        ("other program", "{path} is not a Python interpreter that works; "),
        ("old", "{path} is Python 3.8.18; to measure with it, it must be 3.10 or newer."),
        ("no numpy", "run '{path} -m pip install numpy'."),
        ("no runtime", "which the runtime ort needs; run '{path} -m pip install onnxruntime'."),
    ],
)
def test_an_interpreter_that_cannot_measure_is_refused_before_any_build(what, sentence, broken):
    with pytest.raises(TurnkeyError) as refused:
        make_plan(python=broken[what])
    assert sentence.format(path=broken[what]) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not isinstance(refused.value, UsageError)


def test_a_missing_interpreter_exits_with_status_1_and_builds_nothing(turnkey, cache):
    result = turnkey(SAMPLE, "--python", "/absent/python")
    assert result.returncode == 1
    assert "There is no Python interpreter /absent/python" in result.stderr
    assert not cache.exists()


def test_live_models_stay_in_the_process_of_their_script():
    with pytest.raises(UsageError, match="torch-eager measures the live model in the process"):
        make_plan(python=sys.executable, runtime=["ort", "torch-eager"])


def test_a_runtime_of_a_plugin_needs_the_plugin_there():
    class Mine(type(find_runtime("ort", "x86"))):
        __module__ = "turnkeyml_plugin_absent.runtime"

    with pytest.raises(TurnkeyError, match="install the plugin turnkeyml_plugin_absent there"):
        require_elsewhere([Place("ours", sys.executable)], [Mine()])


def test_a_baseline_that_does_not_take_part_is_a_usage_error():
    with pytest.raises(UsageError, match=r"choose from: ort \(python ours\) fp32\.$"):
        race_files(str(SAMPLE), python={"ours": sys.executable}, baseline="theirs")


@posix
def test_a_worker_that_cannot_start_is_the_failure_of_its_row(
    bare, turnkey, cache, script, tmp_path
):
    """The interpreter may vanish after it was checked."""
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\nexec {bare} "$@"\n')
    path.chmod(0o755)
    body = f"import os\nos.unlink({str(path)!r})\nSmallModel()(torch.rand(2, 4))"
    result = turnkey(script(body, prelude=SMALL_MODEL), "--python", f"gone={path}")
    assert result.returncode == 1
    assert f"{path} cannot be run: No such file or directory." in result.stdout


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (None, []),
        ("ort-1.20=/x/python", ["ort-1.20"]),
        (["/x/python3.12", "b=/x/python"], ["python3.12", "b"]),
        ({"a": Path("/x/python")}, ["a"]),
        ("/x=y/python", ["python"]),
    ],
)
def test_interpreters_have_names(given, names):
    assert [place.name for place in places.interpreters(given)] == names


@posix
def test_an_environment_gives_its_name(bare):
    assert places.interpreters(str(bare)) == (Place("bare", str(bare)),)


@pytest.mark.parametrize("given", ["=x", "a b=x", "a=", ["/x/python", "/y/python"]])
def test_names_are_plain_and_different(given):
    with pytest.raises(UsageError):
        places.interpreters(given)


def test_a_contestant_is_called_by_any_of_its_names():
    assert label_of("ort", "", "fp32") == "ort fp32"
    assert label_of("ort", "ort-1.20", "fp32") == "ort-1.20 fp32"
    assert label_of("ort", "old", "") == "ort (python old)"
    for wanted in ("ort", "ort-fp32", "old", "old-fp32", "ort (python old) fp32"):
        assert answers_to(wanted, "ort", "old", "fp32")
    assert not answers_to("old-fp16", "ort", "old", "fp32")
    assert not answers_to("", "ort", "", "fp32")


def test_nodes_are_read_without_the_onnx_package(tmp_path):
    from onnx import helper, numpy_helper

    weights = numpy_helper.from_array(numpy.ones((300, 300), numpy.float32), "w")
    branch = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["z"])],
        "branch",
        [],
        [helper.make_tensor_value_info("z", 1, None)],
    )
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"], name="größe"),
        helper.make_node("If", ["c"], ["u"], then_branch=branch, else_branch=branch),
        helper.make_node("Split", ["y"], ["a", "b"], num_outputs=2, axis=-1),
    ]
    graph = helper.make_graph(nodes, "g", [], [], [weights])
    content = helper.make_model(graph).SerializeToString()
    expected = [(n.op_type, tuple(n.input), tuple(n.output)) for n in nodes]
    assert [(n.op_type, n.inputs, n.outputs) for n in read_nodes(content)] == expected
    for damaged in (content[:-1], b"\x07", b"\xff" * 12):
        with pytest.raises(ValueError, match="not an ONNX model"):
            list(read_nodes(damaged))


def test_a_build_declares_only_the_opsets_that_it_uses(script, turnkey, cache):
    """An older version of ONNX Runtime refuses the newest opsets, used or not."""
    path = script("SmallModel()(torch.rand(2, 4))")
    assert turnkey(path, "--build-only").returncode == 0
    (file,) = cache.glob("*/onnx/*-opt.onnx")
    assert [opset.domain for opset in onnx.load(file).opset_import] == [""]
