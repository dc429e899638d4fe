"""A build that computes something else: what the last line says, and the exit status."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from turnkeyml.api import benchmark_files
from turnkeyml.display import Overview, closing_line, line_of, listing
from turnkeyml.nouns import (
    Cause,
    Evaluation,
    Input,
    InputResult,
    InvocationRecord,
    InvocationResult,
    Performance,
    Verdict,
    Verification,
)

WRONG = """
import onnx
from turnkeyml import Sequence
from turnkeyml.build.export import ExportPytorch
from turnkeyml.build.onnx_stages import SetSuccess
from turnkeyml.build.stage import ONNX, Stage

class Negate(Stage):
    name = "negate"
    message = "Negating the outputs"
    needs = frozenset({ONNX})
    yields = frozenset({ONNX})

    def fire(self, bench):
        model = onnx.load(str(bench.artifacts[ONNX]))
        for output in model.graph.output:
            for node in model.graph.node:
                node.output[:] = ["raw" if n == output.name else n for n in node.output]
            model.graph.node.append(onnx.helper.make_node("Neg", ["raw"], [output.name]))
        target = bench.work / bench.onnx_name("negated")
        onnx.save(model, str(target))
        bench.artifacts[ONNX] = target

def get_sequence():
    return Sequence("negated", [ExportPytorch(), Negate(), SetSuccess()])
"""
CALL = "SmallModel()(torch.rand(1, 4))\n"
SAID = "these compute something else than the original (mismatch)"


@pytest.fixture
def wrong(tmp_path: Path) -> list[object]:
    """The words for a sequence whose file computes something else."""
    path = tmp_path / "negated.py"
    path.write_text(textwrap.dedent(WRONG))
    return ["--sequence-file", path, "--iterations", 20]


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


def test_a_measured_mismatch_is_told_and_exits_with_1(turnkey, script, wrong):
    path = script(CALL)
    for _ in range(2):  # the second time from the cache
        done = turnkey(path, *wrong)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "Verification:   mismatch" in done.stdout
        assert last_line(done.stdout) == (
            f"The 'benchmark' command is complete; {SAID}: script.py."
        )
        assert "Median:" in done.stdout


def test_a_build_that_was_not_measured_counts_too(turnkey, script, wrong):
    path = script(CALL)
    for _ in range(2):
        done = turnkey(path, *wrong[:2], "--build-only")
        assert done.returncode == 1
        assert "successfully built" not in done.stdout
        assert SAID in last_line(done.stdout)


def test_measuring_it_again_exits_with_1(turnkey, script, wrong):
    turnkey(script(CALL), *wrong[:2], "--build-only")
    done = turnkey("cache", "benchmark", "--all", "--iterations", 20)
    assert done.returncode == 1
    assert f"T{SAID[1:]}: script_" in last_line(done.stdout)
    told = turnkey("cache", "benchmark", "--all", "--iterations", 20, "--json")
    assert (told.returncode, json.loads(told.stdout)["ok"]) == (1, False)


def test_among_many_inputs_those_that_mismatch_are_named(turnkey, script, wrong, tmp_path):
    names = [script(CALL, f"s{number}.py") for number in range(2)]
    broken = script("raise SystemExit(3)", "broken.py")
    done = turnkey(*names, broken, "--jobs", 2, *wrong)
    assert done.returncode == 1
    assert last_line(done.stdout).startswith(
        "The 'benchmark' command is complete; it failed for: broken.py; "
    )
    assert all(f"s{number}.py" in last_line(done.stdout) for number in range(2))
    assert done.stdout.count("] mismatch s") == 2
    again = turnkey(*names, "--jobs", 2, *wrong, "--retry", "failed")
    assert "2 of them in an earlier run" in again.stdout
    assert (again.returncode, SAID in last_line(again.stdout)) == (1, True)


def test_the_result_in_python_is_not_ok(script, wrong, cache):
    (result,) = benchmark_files(
        script(CALL), sequence_file=wrong[1], iterations=20, cache_dir=cache
    )
    assert (result.ok, result.failed, result.is_mismatch) == (False, False, True)
    assert result.performances[0].median_latency > 0


def result_of(
    *verdicts: Verdict,
    build: Verdict | None = None,
    artifact: str = "",
    cause: Cause = Cause.SAME_DIRECTION,
) -> InputResult:
    """The result of a model with these evaluations, fabricated."""
    performance = Performance(1, 1, 1, 1, 1, 1, 1, 1, 1)
    found = [
        Evaluation(
            "x86",
            "a CPU",
            f"ort{number}",
            artifact=artifact or None,
            verification=Verification(verdict, cause, "so"),
            performance=performance,
        )
        for number, verdict in enumerate(verdicts)
    ]
    record = InvocationRecord(
        "net", "PyTorch", "Net", "", "x.py", 1, 1, 4, "a" * 8, "b" * 8, None, 0, {}, {}, "x_b"
    )
    own = Verification(build, Cause.BEYOND_TOLERANCE, "so") if build else None
    row = InvocationResult(record, verification=own, evaluations=tuple(found))
    return InputResult(Input("x.py"), invocations=(row,))


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.MISMATCH])
def test_no_other_verdict_changes_the_exit_status(verdict):
    assert result_of(verdict).ok
    assert result_of(build=verdict).ok


def test_one_mismatch_among_several_contestants_counts():
    result = result_of(Verdict.MATCH, Verdict.MISMATCH)
    assert not result.ok
    assert line_of(result).startswith("mismatch x.py  1.000 ms ort0, 1.000 ms ort1 (mismatch)")
    overview = Overview()
    overview.add(result)
    assert (overview.outcomes["mismatch"], overview.outcomes["failed"]) == (1, 0)


def test_listings_mark_a_match_on_the_recorded_inputs_alone():
    result = result_of(Verdict.MATCH, Verdict.MATCH, cause=Cause.RECORDED_ONLY)
    lines = listing(result, show_status=True).splitlines()
    assert sum("Verification:   match (recorded inputs only): so" in line for line in lines) == 2
    overview = Overview()
    overview.add(result)
    overview.add(result_of(Verdict.MATCH))
    table = [line.split() for line in overview.lines()]
    assert ["match", "1"] in table
    assert ["match", "(recorded", "inputs", "only)", "2"] in table


def test_what_measured_the_files_of_a_build_decides_over_the_build_itself():
    measured = result_of(Verdict.MATCH, build=Verdict.MISMATCH, artifact="model.onnx")
    live = result_of(Verdict.MATCH, build=Verdict.MISMATCH)
    assert (measured.ok, live.ok) == (True, False)


def test_a_failure_and_a_mismatch_in_one_input_are_both_told():
    result = result_of(Verdict.MISMATCH)
    both = replace(result, failure="It was killed.")
    assert (both.failed, both.is_mismatch, both.ok) == (True, True, False)
    assert closing_line("race", ["a", "b"], ["b"]) == (
        f"The 'race' command is complete; it failed for: a, b; {SAID}: b."
    )
