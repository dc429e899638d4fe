"""``ort`` with the execution providers that are installed."""

from __future__ import annotations

import json

import onnxruntime
import pytest

from tests.conftest import EXAMPLES
from turnkeyml.errors import MeasureError, UsageError
from turnkeyml.runtimes import (
    CPU,
    Request,
    default_device,
    fallback_stats,
    find_runtime,
    full_names,
)

SAMPLE = EXAMPLES / "onnx" / "sample.onnx"
OTHERS = [name for name in onnxruntime.get_available_providers() if name != CPU]
other = pytest.mark.skipif(not OTHERS, reason="this ONNX Runtime has only the CPU provider")


def ort():
    return find_runtime("ort", default_device().name)


@pytest.mark.parametrize("text", ["cpu", "CPU", CPU, " cpu ; CPUExecutionProvider"])
def test_short_and_full_names_are_accepted(text):
    assert full_names(ort().complete({"providers": text})["providers"]) == [CPU]


def test_commas_and_semicolons_separate_names():
    both = [["a", "b"], ["a", "b"]]
    assert [ort().complete({"providers": t})["providers"] for t in ("a,b", "a; b")] == both
    with pytest.raises(UsageError, match="Invalid argument providers=, for the runtime ort"):
        ort().complete({"providers": ","})


def test_an_unknown_provider_is_refused_before_anything_is_built(turnkey, cache):
    done = turnkey(SAMPLE, "--rt-args", "providers::abacus,cpu")
    assert done.returncode == 1
    assert "has no provider 'abacus'; choose from:" in done.stderr
    assert "cpu" in done.stderr.partition("choose from:")[2]
    assert "Traceback" not in done.stderr
    assert not list(cache.glob("*/*_benchmark"))


def test_the_cpu_alone_has_no_fallback():
    session = ort().open(Request(1, str(SAMPLE), arguments=ort().complete({})))
    assert session.stats() == {}
    assert session.settings()["providers"] == [CPU]


@other
def test_nodes_that_fall_back_to_the_cpu_are_counted_and_named(turnkey, cache):
    short = OTHERS[0].removesuffix("ExecutionProvider").lower()
    done = turnkey(SAMPLE, "--iterations", 5, "--rt-args", f"providers::{short};cpu", "--json")
    assert done.returncode == 0, done.stderr
    (evaluation,) = json.loads(done.stdout)["results"][0]["invocations"][0]["evaluations"]
    assert evaluation["conditions"]["settings"]["providers"] == [OTHERS[0], CPU]
    stats = evaluation["stats"]
    assert stats["nodes"] >= stats["nodes_on_cpu"] > 0
    assert f"{stats['nodes_on_cpu']} of {stats['nodes']} nodes" in stats["fallback"]
    assert "Gemm" in stats["fallback"]


def test_an_older_onnx_runtime_says_that_it_does_not_know():
    class Older:
        def get_providers(self):
            return ["XExecutionProvider", CPU]

    assert fallback_stats(Older())["fallback"].startswith("unknown")


def test_a_provider_that_does_not_start_is_an_error(monkeypatch):
    from turnkeyml.runtimes import OrtSession, OrtSettings

    kept = onnxruntime.InferenceSession.get_providers
    session = OrtSession(str(SAMPLE), OrtSettings(1))
    assert kept(session._session) == [CPU]
    with pytest.raises(MeasureError, match="could not start XExecutionProvider; install"):
        session._require(["XExecutionProvider", CPU])
