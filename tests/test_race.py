"""Races: who wins, who does not, and that nobody is hurt by another's failure."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import psutil
import pytest
import yaml

from turnkeyml.cache import BuildFolder, read_state
from turnkeyml.display import race_lines, watchers
from turnkeyml.evaluate import (
    FileContestant,
    InvocationContestants,
    ProgressReport,
    measure,
    measure_contestants,
)
from turnkeyml.evaluate.measuring import _wanted_baseline
from turnkeyml.measure import (
    DEFAULT_RULE,
    LEAST_ROUNDS,
    PAUSING,
    RoundReferee,
    Rule,
    Samples,
    SamplingProgress,
    SessionMeter,
    judge,
    load_samples,
    median_interval,
    sample,
    speedup,
)
from turnkeyml.nouns import (
    Cause,
    Evaluation,
    Flag,
    FlagKind,
    Input,
    Performance,
    Plan,
    ScriptOutcome,
    Verdict,
    Verification,
    events,
)
from turnkeyml.runtimes import Request, find_device, find_runtime

from .conftest import EXAMPLES, SMALL_MODEL

ROUNDS = 30


def samples_of(median: float, seed: int = 0, machine: np.ndarray | None = None) -> Samples:
    """Ten runs in each round, with a noise of 1%; ``machine`` is how slow it was in each."""
    level = np.repeat(np.ones(ROUNDS) if machine is None else machine, 10)
    noise = 1 + 0.01 * np.random.default_rng(seed).standard_normal(10 * ROUNDS)
    timed = (median * 1e6 * level * noise).astype(np.int64)
    slices, walls = (10,) * ROUNDS, (int(timed.sum()) // ROUNDS,) * ROUNDS
    return Samples(timed, 1, slices, walls, timed[:5], True, "precise", 50.0, 30.0)


def evaluation_of(
    runtime: str,
    verdict: str | None = "match",
    cause: Cause = Cause.WITHIN_TOLERANCE,
    flags: tuple[FlagKind, ...] = (),
) -> Evaluation:
    checked = Verification(Verdict(verdict), cause, "") if verdict else None
    told = tuple(Flag(kind, "") for kind in flags)
    performance = Performance(1, 1, 1, 1, 1, 1, 1, 1, 1, flags=told)
    return Evaluation("x86", "a CPU", runtime, verification=checked, performance=performance)


def judged(
    baseline: str = "a",
    verdicts: dict[str, str | None] | None = None,
    strict: bool = False,
    flags: dict[str, FlagKind] | None = None,
    **medians: float,
):
    evaluations = [
        evaluation_of(
            name,
            (verdicts or {}).get(name, "match"),
            flags=tuple(kind for one, kind in (flags or {}).items() if one == name),
        )
        for name in medians
    ]
    measured = {name: [samples_of(m, seed)] for seed, (name, m) in enumerate(medians.items())}
    return judge(evaluations, measured, baseline, strict=strict)


def test_the_fastest_wins_where_the_intervals_say_so():
    race = judged(a=10, b=5, c=8)
    assert (race.winner, race.verdict) == ("b", "The winner is b.")


def test_there_is_no_winner_where_they_do_not():
    race = judged(a=10, b=5, c=5)
    assert race.winner is None
    assert race.verdict in ("No clear winner between b, c.", "No clear winner between c, b.")


@pytest.mark.parametrize("verdict", ["mismatch", None])
def test_what_does_not_compute_the_same_never_wins(verdict):
    race = judged(a=10, b=5, c=8, verdicts={"b": verdict})
    assert race.winner == "c"
    assert race.rows[1].speedup == pytest.approx(2, rel=0.01)


def test_nobody_wins_where_nothing_computes_the_same():
    race = judged(a=10, b=5, verdicts={"a": "mismatch", "b": "mismatch"})
    assert race.winner is None
    assert race.verdict == "Nothing that was measured computes what the original computes."


def test_what_is_close_wins_with_its_mark():
    race = judged(a=10, b=5, verdicts={"b": "close"})
    assert (race.winner, race.verdict) == ("b", "The winner is b (close).")
    race = judged(a=10, b=5, c=5, verdicts={"b": "close"})
    assert {*re.findall(r"[bc](?: \(close\))?", race.verdict[24:])} == {"b (close)", "c"}


def test_strictly_what_is_close_takes_part_without_winning():
    race = judged(a=10, b=5, c=8, verdicts={"b": "close"}, strict=True)
    assert (race.winner, race.verdict) == ("c", "The winner is c.")
    assert race.rows[1].speedup == pytest.approx(2, rel=0.01)
    race = judged(a=10, b=5, verdicts={"a": "close", "b": "specialised"}, strict=True)
    assert race.verdict == (
        "No winner: a is close, and --strict lets only matches win; "
        "b is specialised, and --strict lets only matches win."
    )


def test_a_match_on_the_recorded_inputs_alone_wins_with_its_mark():
    found = [evaluation_of("a"), evaluation_of("b", cause=Cause.RECORDED_ONLY)]
    race = judge(found, {"a": [samples_of(10)], "b": [samples_of(5, 1)]}, "a")
    assert race.verdict == "The winner is b (recorded inputs only)."
    assert any(line.endswith("match (recorded inputs only)") for line in race_lines(race))


@pytest.mark.parametrize("kind", [kind for kind in FlagKind if kind.discredits])
def test_a_latency_that_is_not_credible_never_wins(kind):
    race = judged(a=10, b=0.01, c=8, flags={"b": kind})
    assert race.winner == "c"
    why = f"b cannot win, as its latency is not credible ({kind})."
    assert race.verdict == f"The winner is c. {why}"
    assert judged(a=10, b=0.01, flags={"b": kind}).verdict == f"No race: only a may win. {why}"


def test_only_mismatches_are_said_to_compute_something_else():
    verdicts = {"a": None, "b": "mismatch"}
    assert judged(a=10, b=5, verdicts=verdicts).verdict == (
        "No winner: a was not checked; b computes something else (mismatch)."
    )
    race = judged(a=10, b=5, c=2, verdicts={"b": "specialised", "c": "mismatch"})
    assert race.verdict == (
        "No race: only a may win; b is specialised, which does not win over one that is general; "
        "c computes something else (mismatch)."
    )
    race = judged(a=10, verdicts={"a": "match"}, flags={"a": FlagKind.SEEN})
    assert race.verdict == (
        "No winner: a cannot win, as its latency is not credible (seen-inputs)."
    )


def test_the_reason_of_a_mismatch_is_told_below_the_table():
    wrong = replace(
        evaluation_of("b"),
        verification=Verification(Verdict.MISMATCH, Cause.BEYOND_TOLERANCE, "y is off by 3"),
    )
    measured = {"a": [samples_of(10)], "b": [samples_of(5, 1)]}
    lines = race_lines(judge([evaluation_of("a"), wrong], measured, "a"))
    assert "b computes something else (mismatch): y is off by 3" in lines
    assert lines[-1] == "No race: only a may win; b computes something else (mismatch)."


def test_a_race_of_which_nothing_could_be_measured_says_so():
    lost = Evaluation("x86", "a CPU", "b", status="failed", reason="It was killed.")
    assert judge([lost], {}, "b").verdict == "No race: nothing could be measured."


def test_one_that_ran_alone_does_not_win():
    race = judged(a=10)
    assert (race.winner, race.verdict) == (None, "No race: a ran alone.")


@pytest.mark.parametrize(("baseline", "expected"), [("a", (1, 2)), ("b", (0.5, 1))])
def test_the_speed_up_is_that_over_the_baseline(baseline, expected):
    rows = judged(baseline, a=10, b=5).rows
    assert [r.speedup for r in rows] == pytest.approx(expected, rel=0.01)
    assert all(r.speedup_low <= r.speedup <= r.speedup_high for r in rows)


def test_a_contestant_that_failed_is_shown_with_its_reason():
    lost = Evaluation("x86", "a CPU", "b", status="failed", reason="It was killed.")
    race = judge([evaluation_of("a"), lost], {"a": [samples_of(10)]}, "a")
    assert race.rows[1].speedup is None
    assert any(re.fullmatch(r"b +failed", line) for line in race_lines(race))
    assert "b failed: It was killed." in race_lines(race)


def test_without_the_baseline_nothing_is_compared_with_it():
    lost = Evaluation("x86", "a CPU", "a", status="failed", reason="It was killed.")
    measured = {"b": [samples_of(10, 1)], "c": [samples_of(5, 2)]}
    race = judge([lost, evaluation_of("b"), evaluation_of("c")], measured, "a")
    assert [r.speedup for r in race.rows] == [None] * 3
    assert (race.baseline, race.winner) == (None, "c")


def test_a_model_does_not_win_against_itself_in_another_process():
    """Two processes differ by a fraction of a percent for no reason that a user could name."""
    wins = 0
    for seed in range(40):
        offset = np.exp(0.006 * np.random.default_rng(seed).standard_normal(2))
        measured = {
            name: [samples_of(10 * factor, 2 * seed + i)]
            for i, (name, factor) in enumerate(zip("ab", offset, strict=True))
        }
        race = judge([evaluation_of("a"), evaluation_of("b")], measured, "a")
        wins += race.winner is not None
    assert wins <= 4


def test_few_rounds_that_hang_together_still_tell_what_is_four_times_as_fast():
    machine = np.exp(np.linspace(0, 0.3, ROUNDS))
    measured = {"a": [samples_of(20, 1, machine)], "b": [samples_of(5, 2)]}
    race = judge([evaluation_of("a"), evaluation_of("b")], measured, "a")
    assert race.winner == "b"
    assert race.rows[1].speedup_low > 3


def test_what_happens_to_all_of_them_cancels_out():
    machine = np.exp(np.cumsum(0.05 * np.random.default_rng(9).standard_normal(ROUNDS)))
    slow, fast = samples_of(10, 1, machine), samples_of(5, 2, machine)
    ratio, interval = speedup([slow], [fast])
    alone = median_interval(fast.latencies)
    assert ratio == pytest.approx(2, rel=0.005)
    assert interval.half_width / ratio < 0.02
    assert alone is None or alone.half_width / np.median(fast.latencies) > 0.05


def test_processes_that_disagree_widen_the_interval():
    baseline = [samples_of(10, 1), samples_of(10, 2)]
    _, agreeing = speedup(baseline, [samples_of(5, 3), samples_of(5, 4)])
    _, differing = speedup(baseline, [samples_of(5, 3), samples_of(6, 4)])
    assert differing.half_width > 10 * agreeing.half_width


def test_a_contestant_that_lost_a_process_is_still_compared():
    measured = {"a": [samples_of(10, 1), samples_of(10, 2)], "b": [samples_of(5, 3)]}
    race = judge([evaluation_of("a"), evaluation_of("b")], measured, "a")
    assert race.rows[1].speedup == pytest.approx(2, rel=0.01)


# When a race is over


class Model:
    """Takes as long as it is told, with some noise, on a clock that only it moves on."""

    changes_inputs = False
    asynchronous = False

    def __init__(self, milliseconds: float, noise: float = 0.01, seed: int = 0) -> None:
        self._latency = milliseconds * 1e6
        self._noise = noise
        self._random = np.random.default_rng(seed)
        self.now = 0

    def clock(self) -> int:
        return self.now

    def prepare(self) -> None: ...

    def run(self) -> None:
        self.now += int(self._latency * np.exp(self._noise * self._random.standard_normal()))


def race(
    *models: Model, rule: Rule = DEFAULT_RULE, may_win: list[bool] | None = None
) -> list[Samples]:
    """The first is the baseline."""
    referee = RoundReferee(0, may_win or [True] * len(models), rule.precision)
    meters = [SessionMeter(m, m.clock) for m in models]
    return sample(meters, rule, referee=referee)


def four(noise: float = 0.01) -> list[Model]:
    return [Model(ms, noise, seed) for seed, ms in enumerate((40, 20, 60, 400))]


class Settling(Model):
    """One whose threads need 70 ms to settle after another has run."""

    latest: Model | None = None

    def run(self) -> None:
        if Settling.latest is not self:
            Settling.latest, self._since = self, self.now
        begin = self.now
        super().run()
        if begin - self._since < 70e6:
            self.now += int(0.05 * (self.now - begin))


def test_a_contestant_is_as_fast_in_a_race_as_alone_on_many_processors(monkeypatch):
    monkeypatch.setattr("turnkeyml.measure.sampler.allowed_processors", lambda: set(range(16)))
    nobody_drops_out = replace(DEFAULT_RULE, race_seconds=None)
    raced = race(Settling(4, seed=1), Settling(5, seed=2), rule=nobody_drops_out)
    (alone,) = race(Settling(4, seed=3))
    assert np.median(raced[0].latencies) == pytest.approx(np.median(alone.latencies), rel=0.003)


def test_a_loser_drops_out_when_the_rounds_say_so():
    baseline, winner, loser, slowest = race(*four())
    assert (loser.stopped, slowest.stopped) == ("lost", "lost")
    assert len(slowest.slices) < len(winner.slices) == len(baseline.slices)
    assert winner.stopped in ("precise", "answered")


def test_a_race_of_four_takes_less_than_a_minute():
    """Even where one of them takes ten times as long as the others, and all are noisy."""
    models = four(noise=0.05)
    race(*models)
    assert sum(m.now for m in models) / 1e9 < 60


def test_the_baseline_stays_to_the_end_although_it_loses():
    baseline, winner = race(Model(40), Model(20, seed=1))
    assert baseline.stopped != "lost"
    assert len(baseline.slices) == len(winner.slices) >= LEAST_ROUNDS


def test_a_race_that_cannot_be_decided_ends_when_more_rounds_would_not_tell():
    twins = race(Model(20), Model(20, seed=1))
    assert [s.stopped for s in twins] in (["answered"] * 2, ["precise"] * 2)
    assert len(twins[0].slices) < 3 * LEAST_ROUNDS


def test_a_race_on_a_restless_machine_ends_at_its_limit():
    models = [Model(20, noise=1.5), Model(20, noise=1.5, seed=1)]
    rule = replace(DEFAULT_RULE, race_seconds=8.0, cap_seconds=1000.0)
    found = race(*models, rule=rule)
    assert [s.stopped for s in found] == ["time", "time"]
    assert sum(s.seconds for s in found) < 10


def test_a_rigorous_race_drops_nobody():
    one, other = race(Model(40), Model(20, seed=1), rule=replace(DEFAULT_RULE, race_seconds=None))
    assert {one.stopped, other.stopped} == {"precise"}


def test_what_cannot_win_drops_out_when_its_speed_is_known():
    """And does not make others lose."""
    wrong = Model(5, seed=2)
    _, right, found = race(Model(40), Model(20, seed=1), wrong, may_win=[True, True, False])
    assert found.stopped == "lost"
    assert right.stopped in ("precise", "answered")


def test_nobody_loses_by_a_hair():
    ruling = RoundReferee(0, [True, True, True], 0.01).rule(
        [np.full(50, 30.0), np.full(50, 10.0), np.full(50, 10.05)]
    )
    assert ruling.losers == frozenset()
    assert ruling.is_answered


def test_before_there_are_rounds_nothing_is_decided():
    ruling = RoundReferee(0, [True, True], 0.01).rule([np.zeros(0), np.full(3, 10.0)])
    assert (ruling.losers, ruling.is_answered) == (frozenset(), False)


def test_a_limit_can_be_set_by_hand():
    models = [Model(20, noise=1.5), Model(20, noise=1.5, seed=1)]
    found = race(*models, rule=DEFAULT_RULE.within(5.0))
    assert sum(s.seconds for s in found) == pytest.approx(5, abs=1)


# What a long race says of itself


def test_a_long_measurement_is_told_at_a_bounded_rate():
    heard: list[tuple[float, str]] = []
    now = iter(np.arange(0, 1000, 0.5))
    report = ProgressReport(
        lambda seconds, doing: heard.append((seconds, doing)), 1, lambda: next(now)
    )
    for _ in range(60):
        report.progress(SamplingProgress(1.0, 3))
    assert 4 <= len(heard) <= 60 * 0.5 / 5 + 1
    assert heard[0][1] == "3 contestants take turns"


def test_the_words_say_what_is_going_on():
    heard: list[str] = []
    report = ProgressReport(
        lambda _, doing: heard.append(doing), 5, iter(range(0, 900, 9)).__next__
    )
    report.loading("ort fp32")
    report.progress(SamplingProgress(1.0, 1, PAUSING))
    report.next_process()
    report.progress(SamplingProgress(1.0, 1))
    assert heard == [
        "loading ort fp32 (process 1 of 5)",
        "waiting for other load to pass (process 1 of 5)",
        "timing runs (process 2 of 5)",
    ]


def test_a_short_measurement_says_nothing_of_itself(raced):
    assert "measuring for" not in raced[0]


def test_a_specialised_build_does_not_win_over_a_general_one():
    race = judged(verdicts={"b": "specialised"}, a=1.0, b=0.5, c=0.9)
    assert race.winner == "c"


def test_among_specialised_builds_the_fastest_wins():
    verdicts = {"a": "specialised", "b": "specialised", "c": "mismatch"}
    race = judged(verdicts=verdicts, a=1.0, b=0.5, c=0.1)
    assert (race.winner, race.verdict) == ("b", "The winner is b (specialised).")


# With real processes

TINY = {"warmup_seconds": 0.02, "warmup_runs": 2}


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Two contestants in two processes each; the first is killed when the rounds begin."""
    folder = tmp_path_factory.mktemp("killed")
    build = BuildFolder(folder, "build")
    build.path.mkdir()
    np.savez(build.inputs, x=np.ones((1, 10), np.float32))
    request = Request(threads=1, model=str(EXAMPLES / "onnx" / "sample.onnx"), precision="fp32")
    ort = find_runtime("ort", "x86")
    contestants = [
        FileContestant(ort, name, folder / name, request, build, None, "sample.onnx", None)
        for name in ("fp32", "fp16")
    ]

    def kill_first(seconds: float) -> None:
        children = psutil.Process().children()
        workers = [p for p in children if "measure.worker" in " ".join(p.cmdline())]
        min(workers, key=lambda p: p.create_time()).kill()

    rule = replace(Rule.exactly(40), processes=2, **TINY)
    return measure(contestants, rule, find_device("x86"), 1, announce=kill_first)


def test_a_worker_that_dies_loses_its_own_row(killed):
    lost = killed[0].evaluation
    assert not lost.ok
    assert "The worker that measured with ort was killed by signal 9 (SIGKILL" in lost.reason


def test_a_worker_that_dies_costs_the_others_nothing(killed):
    assert [len(s.samples.timed) for s in killed[1].sittings] == [40, 40]


def test_every_process_of_a_measurement_is_counted(killed):
    found = killed[1].evaluation.performance
    assert (found.processes, found.iterations) == (2, 80)


def run(*words: object, cache: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, words)]
    environment = {**os.environ, "TURNKEY_CACHE_DIR": str(cache)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=250)


SCRIPT = f"""{SMALL_MODEL}
import os
with open(__file__ + ".ran", "a") as file:
    print(os.getpid(), file=file)
SmallModel()(torch.rand(2, 4))
"""


@pytest.fixture(scope="module")
def raced(tmp_path_factory):
    """What ``turnkey race`` printed, and the folder of its build."""
    folder = tmp_path_factory.mktemp("raced")
    script = folder / "small.py"
    script.write_text(SCRIPT)
    who = ["--runtime", "ort", "torch-eager", "--precision", "fp32", "fp16"]
    words = ["race", script, *who, "--iterations", 40]
    result = run("-m", "turnkeyml", *words, cache=folder / "cache")
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout, next((folder / "cache").glob("small_*"))


def test_the_table_of_a_race_has_a_row_for_each_contestant(raced):
    text, _ = raced
    assert re.findall(r"(ort fp\d\d|torch-eager fp\d\d) .*? match$", text, re.MULTILINE) == [
        "ort fp32",
        "ort fp16",
        "torch-eager fp32",
    ]


def test_eager_pytorch_is_the_baseline_unless_told_otherwise(raced):
    assert re.search(r"torch-eager fp32 .* 1 \(baseline\) +match$", raced[0], re.MULTILINE)


def test_the_baseline_of_every_runtime_is_the_model_as_the_script_made_it():
    plan = Plan("", "x86")
    names = ("ort", "torch-compiled", "torch-eager")
    assert _wanted_baseline(plan, [find_runtime(n, "x86") for n in names]) == "torch-eager"
    assert _wanted_baseline(plan, [find_runtime(n, "x86") for n in names[:2]]) == "torch-compiled"
    assert _wanted_baseline(replace(plan, baseline="ort fp16"), []) == "ort-fp16"


def test_the_baseline_can_be_chosen(raced, tmp_path):
    shutil.copytree(raced[1], tmp_path / raced[1].name)
    folder = BuildFolder(tmp_path, raced[1].name)
    both = ("fp32", "fp16")
    plan = Plan(str(tmp_path), "x86", iterations=2, precisions=both, baseline="ort-fp16")
    contestants = InvocationContestants(folder, plan, read_state(folder))
    _, race = measure_contestants(contestants, [find_runtime("ort", "x86")])
    assert race.baseline == "ort fp16"


def test_a_race_has_a_verdict(raced):
    assert re.search(r"The winner is \w+|No clear winner between \w+", raced[0])


def test_the_stats_of_a_race_tell_precisions_apart(raced):
    stats = yaml.safe_load((raced[1] / "turnkey_stats.yaml").read_text())
    found = [(e["runtime"], e["precision"], e["samples_file"]) for e in stats["evaluations"]]
    assert found == [
        ("ort", "fp32", "x86_benchmark/ort-fp32/samples.npz"),
        ("ort", "fp16", "x86_benchmark/ort/samples.npz"),
        ("torch-eager", "fp32", "x86_benchmark/torch-eager/samples.npz"),
    ]


@pytest.mark.parametrize("name", ["ort", "ort-fp32", "torch-eager"])
def test_each_contestant_of_a_race_ran_exactly_as_often_as_asked(raced, name):
    (samples,) = load_samples(raced[1] / "x86_benchmark" / name / "samples.npz")
    assert len(samples) == 40


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--precision fp31", r"Unknown precision 'fp31'; choose from: fp32, fp16, int8, bf16\."),
        ("--baseline ortt", r"Unknown runtime 'ortt' for device x86; choose from: .*\."),
        ("--baseline ort-fp31", r"Unknown runtime 'ort-fp31' for device x86; .*\."),
        ("--quick --rigorous", r"argument --rigorous: not allowed with argument --quick\. .*\."),
    ],
)
def test_wrong_words_are_refused_in_one_sentence(tmp_path, words, sentence):
    result = run("-m", "turnkeyml", "race", "small.py", *words.split(), cache=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert re.fullmatch(f"turnkey: error: {sentence}\n", result.stderr)


RIGOROUS = """
import sys
from turnkeyml.evaluate import measuring
from turnkeyml.evaluate.assignment import Assignment
from turnkeyml.evaluate.child import perform
from turnkeyml.measure.stopping import Rule
from turnkeyml.nouns import Input, Plan, Task

script, cache = sys.argv[1:]
tiny = Rule("rigorous", None, 20, 0.02, 0.5, 0.2, 2, 2, 0.02)
measuring.RULES["rigorous"] = tiny
plan = Plan(cache, "x86", ("torch-eager",), rule="rigorous")
perform(Assignment(Task(Input(script), plan), script + ".events"))
"""


@pytest.fixture(scope="module")
def rigorous(tmp_path_factory):
    """A live model, measured by a short rule that wants two processes; and who ran its script."""
    folder = tmp_path_factory.mktemp("rigorous")
    (folder / "small.py").write_text(SCRIPT)
    result = run("-c", RIGOROUS, folder / "small.py", folder / "cache", cache=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    stats = next((folder / "cache").glob("small_*/turnkey_stats.yaml")).read_text()
    return yaml.safe_load(stats)["evaluations"], (folder / "small.py.ran").read_text().split()


def test_a_live_model_is_measured_in_fresh_processes(rigorous):
    (evaluation,), processes = rigorous
    assert evaluation["performance"]["processes"] == 2
    assert len(set(processes)) == len(processes) == 2


def test_the_result_says_that_no_process_is_missing(rigorous):
    (evaluation,), _ = rigorous
    flags = evaluation["performance"]["flags"]  # that its processes differ is the machine's fault
    missing = [f for f in flags if f["kind"] == "processes" and "they differ" not in f["text"]]
    assert missing == []


def test_a_pipe_hears_what_takes_long(monkeypatch, capsys):
    """Compilers of torch.compile and TensorRT are silent for a minute and more."""
    now = 0.0
    monkeypatch.setattr(watchers.time, "monotonic", lambda: now)
    watcher = watchers.PlainWatcher(show_status=True, monitor=True, traceback=False)
    item = Input("net.py")
    watcher.event(item, events.MeasureProgress("12345678", 4, "loading torch-compiled fp32"))
    capsys.readouterr()
    for second in range(1, 41):
        now = float(second)
        watcher.tick()
    still = "net.py: 12345678: loading torch-compiled fp32 for"
    assert capsys.readouterr().err == f"{still} 15 s so far\n{still} 30 s so far\n"
    watcher.event(item, events.ScriptFinished(ScriptOutcome(), ()))
    now = 100.0
    watcher.tick()
    assert capsys.readouterr().err == ""
