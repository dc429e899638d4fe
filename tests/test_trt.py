"""TensorRT without a GPU: what it says when something is missing, and what an engine depends on.

Engines themselves are compiled and run on a GPU by benchmarks/engine_cache.py.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from enum import IntEnum
from types import SimpleNamespace

import numpy as np
import pytest

from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes import CompiledEngine, Need, Recipe, elsewhere, find_device, find_runtime
from turnkeyml.runtimes.nvidia import cuda, nvml
from turnkeyml.runtimes.tensorrt import engine, library, session

KEY = engine.EngineKey("H200", "9.0", "580.1", "8.6.1")
RECIPE = Recipe(model="a.onnx", precision="fp16", shapes={"x": (1, 3)})
HELLO = os.path.join(os.path.dirname(__file__), "..", "examples/cli/scripts/hello_world.py")


@pytest.fixture
def trt():
    return find_runtime("trt", "nvidia")


@pytest.fixture
def no_driver(monkeypatch):
    monkeypatch.setattr(nvml, "_load", lambda: None)


@pytest.fixture
def gpu(monkeypatch):
    """A machine with one GPU, as far as the driver says."""
    monkeypatch.setattr(nvml, "_load", SimpleNamespace)
    monkeypatch.setattr(nvml, "_gpus", lambda _: iter([SimpleNamespace(name="H200")]))


def test_the_default_runtime_of_a_gpu_is_tensorrt_in_fp16(trt):
    assert find_device("nvidia").default_runtime == trt.name
    assert trt.default_sequence == "optimize-fp16"


def test_gpus_are_numbered():
    assert nvml.gpu_index(find_device("nvidia").name) == 0
    assert nvml.gpu_index(find_runtime("trt", "nvidia::1").device) == 1


def test_without_a_driver_the_device_still_has_a_description(no_driver):
    assert find_device("nvidia").describe() == "no NVIDIA GPU"


class TestWhatIsMissing:
    def test_the_driver(self, trt, no_driver):
        with pytest.raises(MeasureError, match=r"no NVIDIA driver.*install"):
            trt.require()

    def test_that_gpu(self, gpu):
        with pytest.raises(MeasureError, match="no GPU 1 here"):
            find_runtime("trt", "nvidia::1").require_ready()

    def test_the_module(self, trt, gpu, monkeypatch):
        monkeypatch.setattr("turnkeyml.runtimes.contract.find_spec", lambda _: None)
        with pytest.raises(MeasureError, match=r"module tensorrt \(pip install tensorrt\)"):
            trt.require()

    def test_the_cuda_runtime_library(self, trt, gpu, monkeypatch):
        monkeypatch.setattr("turnkeyml.runtimes.contract.find_spec", lambda name: name)
        monkeypatch.setattr(cuda, "library_path", lambda *_: None)
        with pytest.raises(MeasureError, match=r"libcudart\.so.*pip install nvidia-cuda-runtime"):
            trt.require()

    def test_the_library_of_tensorrt(self, trt, gpu, monkeypatch, tmp_path):
        folder = tmp_path / "tensorrt_bindings"
        folder.mkdir()
        (folder / "__init__.py").write_text("raise ImportError('libnvinfer.so.8: no such file')")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(library, "MODULES", ("tensorrt_bindings",))
        monkeypatch.setattr(library, "load_tensorrt", library.load_tensorrt.__wrapped__)
        found = {cuda.NAME: "libcudart.so.12"}
        monkeypatch.setattr(cuda, "library_path", lambda name=cuda.NAME: found.get(name))
        with pytest.raises(MeasureError, match=r"libnvinfer\.so\.8: no such.*LD_LIBRARY_PATH"):
            trt.require()

    def test_a_version_that_is_new_enough(self, monkeypatch, tmp_path):
        (tmp_path / "old_tensorrt.py").write_text("__version__ = '8.4.3.1'")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(library, "MODULES", ("old_tensorrt",))
        with pytest.raises(MeasureError, match=r"8\.4\.3\.1 is too old; install 8\.5\.2"):
            library.load_tensorrt.__wrapped__()

    def test_the_command_says_so_in_one_sentence_and_builds_nothing(self, tmp_path):
        if nvml.find_gpu() is not None:
            pytest.skip("this machine has a GPU")
        done = subprocess.run(
            [sys.executable, "-m", "turnkeyml", HELLO, "--device", "nvidia"],
            env={**os.environ, "TURNKEY_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert "The runtime trt cannot be used on nvidia" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert not (tmp_path / "cache").exists()


class TestAnotherInterpreter:
    def test_one_of_two_modules_will_do(self):
        need = Need(module="tensorrt", alternatives=("tensorrt_bindings",))
        found = SimpleNamespace(path="p", modules=frozenset({"tensorrt_bindings"}))
        elsewhere._check(found, "", "the runtime trt", [need])

    def test_it_is_asked_whether_its_gpu_is_ready(self, trt):
        if nvml.find_gpu() is not None:
            pytest.skip("this machine has a GPU")
        with (
            contextlib.closing(elsewhere._started(sys.executable, [trt])) as asked,
            pytest.raises(MeasureError, match=f"with {sys.executable}: there is no NVIDIA"),
        ):
            elsewhere._check_devices(asked, [trt])

    def test_runtimes_without_a_check_are_not_asked(self, trt):
        assert elsewhere._with_checks([find_runtime("ort", "x86"), trt]) == [trt]


class TestArguments:
    def test_the_defaults_are_recorded(self, trt):
        assert trt.complete({}) == {
            "workspace": None,
            "builder_level": None,
            "cuda_graph": False,
            "tf32": False,
            "tactic_sources": "",
        }

    def test_texts_become_numbers_and_booleans(self, trt):
        given = {"workspace": "512", "builder_level": "5", "cuda_graph": "True", "tf32": "no"}
        wanted = {"workspace": 512, "builder_level": 5, "cuda_graph": True, "tf32": False}
        assert trt.complete(given) == {**wanted, "tactic_sources": ""}

    @pytest.mark.parametrize(
        ("name", "value"),
        [("workspace", "0"), ("workspace", "1G"), ("builder_level", "6"), ("cuda_graph", "maybe")],
    )
    def test_what_cannot_be_is_a_usage_error(self, trt, name, value):
        with pytest.raises(UsageError, match=f"Invalid argument {name}={value}"):
            trt.complete({name: value})

    def test_tactic_sources_are_bits(self):
        class Source(IntEnum):
            CUBLAS = 0
            CUDNN = 2

        fake = SimpleNamespace(TacticSource=Source)
        assert engine.tactic_bits(fake, "none") == 0
        assert engine.tactic_bits(fake, "cublas, CUDNN") == 0b101
        with pytest.raises(MeasureError, match="no tactic source 'CUSPARSE'"):
            engine.tactic_bits(fake, "cusparse")


class TestEngineKey:
    def test_it_depends_on_gpu_driver_and_version(self):
        others = [
            engine.EngineKey("H100", "9.0", "580.1", "8.6.1"),
            engine.EngineKey("H200", "9.0", "575.1", "8.6.1"),
            engine.EngineKey("H200", "9.0", "580.1", "8.6.0"),
        ]
        assert len({key.of(RECIPE, "s") for key in (KEY, *others)}) == 4
        assert len({key.machine() for key in (KEY, *others)}) == 4

    @pytest.mark.parametrize(
        "change",
        [
            {"precision": "fp32"},
            {"shapes": {"x": (2, 3)}},
            {"workspace": 1},
            {"builder_level": 1},
            {"tactic_sources": "none"},
            {"tf32": True},
        ],
    )
    def test_it_depends_on_everything_that_the_compiler_gets(self, change):
        other = Recipe(**{**vars(RECIPE), **change})
        assert KEY.of(other, "s") != KEY.of(RECIPE, "s")

    def test_it_depends_on_the_content_of_the_file_and_not_on_its_place(self):
        moved = Recipe(**{**vars(RECIPE), "model": "elsewhere/a.onnx"})
        assert KEY.of(moved, "s") == KEY.of(RECIPE, "s")
        assert KEY.of(RECIPE, "other") != KEY.of(RECIPE, "s")


class TestEngineStore:
    @pytest.fixture
    def compiled(self, monkeypatch):
        """The timings that each compilation was given."""
        given = []

        def compile_engine(recipe, timings):
            given.append(timings)
            return CompiledEngine(b"engine", ("y", "x"), 1.5, False, 2, 0, timings + b"t")

        monkeypatch.setattr(engine, "compile_engine", compile_engine)
        return given

    def test_an_engine_is_found_again_with_the_order_of_its_outputs(self, tmp_path, compiled):
        engine.EngineStore(str(tmp_path / "b"), KEY, "s").make(RECIPE)
        found = engine.EngineStore(str(tmp_path / "b"), KEY, "s").find(RECIPE)
        assert found.is_cached
        assert (found.engine, found.outputs, found.seconds) == (b"engine", ("y", "x"), 1.5)
        assert found.facts["fp32_layers"] == 2

    def test_another_file_has_another_engine(self, tmp_path, compiled):
        engine.EngineStore(str(tmp_path / "b"), KEY, "s").make(RECIPE)
        assert engine.EngineStore(str(tmp_path / "b"), KEY, "other").find(RECIPE) is None

    def test_a_damaged_engine_is_not_used(self, tmp_path, compiled):
        store = engine.EngineStore(str(tmp_path / "b"), KEY, "s")
        store.make(RECIPE)
        (path,) = (tmp_path / "b" / "engines").glob("*.engine")
        path.write_bytes(b"eng")
        assert store.find(RECIPE) is None

    def test_without_a_checksum_nothing_is_kept(self, tmp_path, compiled):
        store = engine.EngineStore(str(tmp_path / "b"), KEY, "")
        store.make(RECIPE)
        assert store.find(RECIPE) is None

    def test_builds_of_a_cache_share_the_timings(self, tmp_path, compiled):
        engine.EngineStore(str(tmp_path / "one"), KEY, "s").make(RECIPE)
        engine.EngineStore(str(tmp_path / "two"), KEY, "s").make(RECIPE)
        assert compiled == [b"", b"t"]


class TestTypes:
    def test_a_network_is_strongly_typed_where_the_version_can(self):
        def flags(version, **kinds):
            kinds = SimpleNamespace(**kinds)
            fake = SimpleNamespace(__version__=version, NetworkDefinitionCreationFlag=kinds)
            return engine.network_flags(fake)

        assert flags("8.6.1", EXPLICIT_BATCH=0) == (1, False)
        assert flags("10.3.0", EXPLICIT_BATCH=0, STRONGLY_TYPED=1) == (2, True)
        assert flags("11.0.0") == (0, True)

    def test_types_have_the_names_of_numpy(self):
        assert session.numpy_name("HALF", "x") == "float16"
        with pytest.raises(MeasureError, match="'x' is of TensorRT's type FP8"):
            session.numpy_name("FP8", "x")

    def test_integers_that_would_wrap_around_are_refused(self):
        session.check_range("x", np.array([-(2**31), 2**31 - 1]), "int32")
        with pytest.raises(MeasureError, match="'x' has values that do not fit into int32"):
            session.check_range("x", np.array([2**31]), "int32")

    def test_other_conversions_are_not_checked(self):
        session.check_range("x", np.array([1e300]), "float32")
        session.check_range("x", np.zeros(0, dtype=np.int64), "int32")

    def test_shapes_go_by_the_names_of_the_model(self):
        inputs = {"x::bfloat16": np.zeros((2, 3), np.uint16), "y": np.float32(0)}
        assert session.shapes_of(inputs) == {"x": (2, 3), "y": ()}


def test_a_library_is_found_in_the_search_path_of_the_loader(tmp_path, monkeypatch):
    (tmp_path / "libmadeup.so.12").write_bytes(b"")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/no/such{os.pathsep}{tmp_path}")
    assert cuda.library_path("libmadeup.so") == str(tmp_path / "libmadeup.so.12")
    assert cuda.library_path("libabsent.so") is None


def test_a_library_that_is_loaded_comes_first(tmp_path, monkeypatch):
    (tmp_path / "libc.so.6").write_bytes(b"")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert cuda.library_path("libc.so") != str(tmp_path / "libc.so.6")
