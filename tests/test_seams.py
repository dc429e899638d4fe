"""The walls: a runtime, a device, a stage or a format is one file or folder, and works at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from .conftest import EXAMPLES

pytestmark = pytest.mark.slow

SOURCE = Path(__file__).parent.parent / "src"
HELLO = EXAMPLES / "scripts" / "hello_world.py"
RUNTIME = '''
    """ONNX's own evaluator, written in numpy, as a runtime."""

    from turnkeyml.runtimes.contract import Argument, Runtime


    class Evaluator(Runtime):
        name = "evaluator"
        title = "The evaluator of ONNX"
        device = "x86"
        arguments = (Argument("factor", "what the outputs are multiplied by", float, 1.0),)
        library = "onnx"

        def version(self):
            return "7.0"

        def open(self, request):
            return Session(request)


    class Session:
        changes_inputs = False
        asynchronous = True

        def __init__(self, request):
            from onnx.reference import ReferenceEvaluator

            self.factor = request.arguments["factor"]
            self.model = ReferenceEvaluator(request.model)
            self.pending = False

        def feed(self, inputs):
            self.inputs = dict(inputs)

        def prepare(self): ...

        def run(self):
            self.pending = True
            self.result = self.model.run(None, self.inputs)

        def synchronize(self):
            self.pending = False

        def outputs(self):
            assert not self.pending
            found = zip(self.model.output_names, self.result, strict=True)
            return {name: self.factor * array for name, array in found}

        def settings(self):
            return {"factor": self.factor}

        def close(self): ...
'''
DEVICE = '''
    """A device of paper."""

    from turnkeyml.runtimes.contract import Device

    DEVICE = Device("paper", "Paper and pencil", "ort", lambda: "A sheet of A4")
'''
FRAMEWORK = '''
    """Models that are nothing but a matrix."""

    import contextlib

    import numpy as np
    import onnx

    from turnkeyml.build.stage import ONNX, Stage
    from turnkeyml.build.captured_model import CapturedModel
    from turnkeyml.frameworks.framework import Framework
    from turnkeyml.frameworks.register import Call
    from turnkeyml.verify.reference import Reference


    class Matrix:
        def __init__(self, weights):
            self.weights = weights

        def __call__(self, x):
            return x @ self.weights


    class Matrices(Framework):
        name = "matrices"
        model = "a Matrix"

        @contextlib.contextmanager
        def watching(self, register, max_depth):
            original = Matrix.__call__

            def __call__(model, x):
                invocation = register.enter(Call(Kind(), model, model, (x,), {}))
                result = original(model, x)
                invocation.count(0.0)
                return result

            Matrix.__call__ = __call__
            try:
                yield {}
            finally:
                Matrix.__call__ = original


    class Kind:
        model_type = "Matrix"

        def is_model(self, target):
            return True

        def is_weightless(self, target):
            return False

        def text(self, target):
            return f"Matrix{target.weights.shape}"

        fingerprint = text

        def name(self, call):
            return "matrix"

        def location(self, call):
            return "", 0

        def parameters(self, target):
            return target.weights.size, target.weights.nbytes

        def remarks(self, call):
            return ()

        def keep(self, target):
            return Kept(target)

        def obstacle(self, args, kwargs):
            return None

        def subject(self, record, model, args, kwargs):
            return MatrixSubject(record, model, args[0])


    class Kept:
        def __init__(self, target):
            self.model = lambda: target


    class MatrixSubject(CapturedModel):
        framework = "matrices"
        precision = "fp32"

        def __init__(self, record, matrix, x):
            super().__init__(record)
            self.matrix, self.x = matrix, x

        def key(self, opset):
            return {"weights": self.matrix.weights.tobytes().hex()}

        def compute_reference(self, threads):
            return Reference({"x": self.x}, {"y": self.matrix(self.x)})

        def compute_on(self, inputs):
            return Reference(inputs, {"y": self.matrix(inputs["x"])})

        def receiving_stage(self):
            return ExportMatrix()


    class ExportMatrix(Stage):
        name = "export_matrix"

        def fire(self, bench):
            from onnx import helper

            weights = bench.subject.matrix.weights
            float32 = onnx.TensorProto.FLOAT
            graph = helper.make_graph(
                [helper.make_node("MatMul", ["x", "w"], ["y"])],
                "matrix",
                [helper.make_tensor_value_info("x", float32, bench.subject.x.shape)],
                [helper.make_tensor_value_info("y", float32, None)],
                [onnx.numpy_helper.from_array(weights, "w")],
            )
            opset = [helper.make_opsetid("", bench.opset)]
            bench.artifacts[ONNX] = bench.work / bench.onnx_name("base")
            model = helper.make_model(graph, opset_imports=opset, ir_version=9)
            onnx.save(model, bench.artifacts[ONNX])
            bench.facts["precision"] = "fp32"


    FRAMEWORK = Matrices()
'''
STAGE = '''
    """Counts the nodes."""

    import onnx

    from turnkeyml.build.stage import ONNX, Stage


    class CountNodes(Stage):
        name = "count_nodes"
        needs = frozenset({ONNX})

        def fire(self, bench):
            bench.facts["nodes"] = len(onnx.load(bench.artifacts[ONNX]).graph.node)
'''


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package, to add files to."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(SOURCE, tmp_path / "src", ignore=ignored))


@pytest.fixture
def add(installed: Path) -> Callable[[str, str], None]:
    def write(path: str, text: str) -> None:
        target = installed / "turnkeyml" / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")

    return write


@pytest.fixture
def type_words(
    installed: Path, tmp_path: Path
) -> Callable[[str], subprocess.CompletedProcess[str]]:
    def run(words: str) -> subprocess.CompletedProcess[str]:
        cache = str(tmp_path / "cache")
        return subprocess.run(
            [sys.executable, "-m", "turnkeyml", *words.split()],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(installed), "TURNKEY_CACHE_DIR": cache},
        )

    return run


def stats(tmp_path: Path) -> dict:
    return yaml.safe_load((tmp_path / "cache/hello_world_24adc42f/turnkey_stats.yaml").read_text())


def test_a_runtime_is_one_file(add, type_words, tmp_path):
    add("runtimes/evaluator/__init__.py", RUNTIME)
    assert "evaluator" in type_words("benchmark --help").stdout
    done = type_words(f"{HELLO} --runtime evaluator --iterations 20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(evaluator v7.0)" in done.stdout
    (evaluation,) = stats(tmp_path)["evaluations"]
    assert evaluation["verification"]["verdict"] == "match"
    assert evaluation["conditions"]["settings"] == {"factor": 1.0}


def test_the_verdict_is_that_of_the_runtime_itself(add, type_words, tmp_path):
    add("runtimes/evaluator/__init__.py", RUNTIME)
    words = "--runtime ort evaluator --rt-args factor::-1 --iterations 20"
    refused = type_words(f"{HELLO} {words}")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "The runtime ort has no argument factor; choose from: providers, graph" in refused.stderr
    done = type_words(f"{HELLO} {words.replace('ort ', '')}")
    assert done.returncode == 1
    assert "Verification:   mismatch" in done.stdout
    (evaluation,) = stats(tmp_path)["evaluations"]
    assert evaluation["verification"]["verdict"] == "mismatch"
    race = type_words(f"race {HELLO} --runtime ort evaluator --iterations 20")
    assert race.returncode == 0, race.stdout + race.stderr
    assert [e["verification"]["verdict"] for e in stats(tmp_path)["evaluations"]] == ["match"] * 2


def test_a_runtime_argument_of_the_wrong_type_is_a_usage_error(add, type_words):
    add("runtimes/evaluator/__init__.py", RUNTIME)
    done = type_words(f"{HELLO} --runtime evaluator --rt-args factor::much")
    assert done.returncode == 2
    assert "Invalid argument factor=much for the runtime evaluator" in done.stderr
    assert "factor is what the outputs are multiplied by" in done.stderr


def test_two_devices_may_have_a_runtime_of_the_same_name(add, type_words, tmp_path):
    add("runtimes/paper/__init__.py", DEVICE)
    add(
        "runtimes/evaluator/__init__.py",
        RUNTIME.replace('"evaluator"', '"ort"').replace('"x86"', '"paper"'),
    )
    done = type_words(f"{HELLO} --device paper --iterations 20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "benchmarked on A sheet of A4 (ort v7.0)" in done.stdout
    assert (tmp_path / "cache/hello_world_24adc42f/paper_benchmark/ort/samples.npz").exists()
    done = type_words(f"{HELLO} --device paper --runtime torch-eager")
    assert "Unknown runtime 'torch-eager' for device paper; choose from: ort." in done.stderr


def test_what_is_missing_is_said_before_anything_is_built(add, type_words, tmp_path):
    need = 'library = "onnx"\n        needs = (Need("no_such", install="pip install no-such"),)'
    text = RUNTIME.replace('library = "onnx"', need).replace(
        "Argument, Runtime", "Argument, Need, Runtime"
    )
    add("runtimes/evaluator/__init__.py", text)
    done = type_words(f"{HELLO} --runtime evaluator")
    assert done.returncode != 0
    assert "evaluator needs the Python module no_such (pip install no-such)" in done.stderr
    assert not (tmp_path / "cache" / "hello_world_24adc42f").exists()


def test_a_stage_is_one_file(add, type_words, tmp_path):
    add("build/stages/count_nodes.py", STAGE)
    done = type_words(f"{HELLO} --sequence optimize_onnx,count_nodes --build-only")
    assert done.returncode == 0, done.stdout + done.stderr
    build = stats(tmp_path)["build"]
    assert build["sequence"] == ["export_pytorch", "optimize_onnx", "count_nodes", "set_success"]
    assert build["nodes"] > 0
    done = type_words(f"{HELLO} --sequence optimize_onx")
    assert done.returncode == 2
    assert "or list stages separated by commas: count_nodes, fp16_conversion" in done.stderr


def test_a_framework_is_one_folder_and_one_line(add, type_words, installed, tmp_path):
    add("frameworks/matrices/__init__.py", FRAMEWORK)
    names = installed / "turnkeyml" / "frameworks" / "framework.py"
    line = 'FRAMEWORKS = ("torch", "onnx"'
    assert line in names.read_text()
    names.write_text(names.read_text().replace(line, f'{line}, "matrices"'))
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from turnkeyml.frameworks.matrices import Matrix\n"
        "matrix = Matrix(np.arange(6, dtype=np.float32).reshape(3, 2))\n"
        "matrix(np.ones((4, 3), np.float32))\n"
    )
    done = type_words(f"{script} --iterations 20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Model Type:     Matrix" in done.stdout
    assert "Mean Latency:" in done.stdout
    (folder,) = (tmp_path / "cache").glob("script_*")
    found = yaml.safe_load((folder / "turnkey_stats.yaml").read_text())
    assert found["build"]["sequence"] == ["export_matrix", "optimize_onnx", "set_success"]
    assert found["evaluations"][0]["verification"]["verdict"] == "match"
