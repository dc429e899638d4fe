"""The number must hold outside of the benchmark: fresh inputs, and the check after the timing."""

from __future__ import annotations

import collections
import functools
import random
import time

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper

from turnkeyml import benchmark_model
from turnkeyml.measure import (
    QUICK_RULE,
    FreshInputs,
    PairedRatio,
    Recheck,
    Rule,
    SessionMeter,
    doubts,
    product_rate,
    recheck,
    unseen,
    varied_inputs,
)
from turnkeyml.nouns import (
    Cause,
    FlagKind,
    Grade,
    OperationCount,
    Performance,
    RaceRow,
    Verdict,
    Verification,
)
from turnkeyml.runtimes import LiveModel, OrtSession, OrtSettings, Request, TorchSession
from turnkeyml.verify import Reference

RIGHT = Verification(Verdict.MATCH, Cause.WITHIN_TOLERANCE, "")


class Deep(torch.nn.Module):
    """Long enough that what is left out shows."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(*(torch.nn.Linear(512, 512) for _ in range(4)))

    def forward(self, x):
        return self.layers(x)


KEPT = {}


class CachedByMean(Deep):
    """Its cache outlives the model, and most inputs of one application share a key."""

    def forward(self, x):
        key = round(float(x.mean()), 1)
        if key not in KEPT:
            KEPT[key] = self.layers(x)
        return KEPT[key]


class CachedByAddress(Deep):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, x):
        if x.data_ptr() not in self.known:
            self.known[x.data_ptr()] = self.layers(x)
        return self.known[x.data_ptr()]


class CachedByFunction(Deep):
    @functools.cache  # noqa: B019 - that is what is tried
    def work(self, x):
        return self.layers(x)

    def forward(self, x):
        return self.work(x)


class CachedBySum(Deep):
    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, x):
        key = x.sum().item()
        if key not in self.known:
            self.known[key] = self.layers(x)
        return self.known[key]


class CachedByRow(Deep):
    """Numbers of other rows may change, and it returns what it has kept."""

    def __init__(self):
        super().__init__()
        self.known = {}

    def forward(self, x):
        key = x[0].numpy().tobytes()
        if key not in self.known:
            self.known[key] = self.layers(x)
        return self.known[key]


class HalvedAfterTwenty(Deep):
    calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls <= 20:
            return self.layers(x)
        return self.layers.half()(x.half()).float()


class KeepsFeatures(Deep):
    features = None

    def forward(self, x):
        if self.features is None:
            self.features = self.layers(x)
        return self.features + 0 * x


class StopsAfterTwenty(Deep):
    calls = 0

    def forward(self, x):
        self.calls += 1
        return self.layers(x) if self.calls <= 20 else 1 * x


class ChangesMemory(Deep):
    def forward(self, x):
        if not x.any():
            return x
        result = self.layers(x)
        x.data.mul_(0)
        return result


class CountsInADict(Deep):
    def forward(self, x, options):
        options["calls"] += 1
        return self.layers(x) if options["calls"] < 3 else 1 * x


class Context:
    result = None


class KeepsInContext(Deep):
    def forward(self, x, context):
        if context.result is None:
            context.result = self.layers(x)
        return context.result


class Constant(Deep):
    """Answers from a table, whatever the question is."""

    def __init__(self):
        super().__init__()
        self.answer = self.layers(X).detach()

    def forward(self, x):
        return self.answer.clone()


class Noise(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.register_buffer("out", torch.zeros(4, 8))

    def forward(self, x):
        self.out.copy_(self.fc(x) + torch.randn(4, 8))
        return self.out


class SkipsZeros(Deep):
    def forward(self, x):
        return self.layers(x) if x.any() else x


class KeepsAMask(torch.nn.Module):
    """Honest: what it keeps depends on the shape alone."""

    mask = None

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(64, 64)

    def forward(self, x):
        if self.mask is None or self.mask.shape[0] != x.shape[0]:
            self.mask = torch.tril(torch.ones(x.shape[0], 64))
        return self.fc(x) * self.mask


class StaticBuffer(torch.nn.Module):
    """Honest: it returns memory that stays."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(64, 64)
        self.register_buffer("out", torch.zeros(8, 64))

    def forward(self, x):
        return self.out.copy_(self.fc(x))


class OverwrittenState(torch.nn.Module):
    """Honest: each call begins anew."""

    def __init__(self):
        super().__init__()
        self.cell = torch.nn.GRUCell(64, 64)
        self.states = []

    def forward(self, x):
        self.states = [torch.zeros(len(x), 64)]
        self.states.append(self.cell(x, self.states[0]))
        return self.states[-1]


class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(64, 64)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.fc(x)


class History:
    def __init__(self):
        self.seen = collections.deque()


class KeepsAHistory(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(64, 64)
        self.history = History()

    def forward(self, x):
        self.history.seen.append(float(x.mean()))
        return self.fc(x)


class StaticKeys(torch.nn.Module):
    """A decoder with a cache of a fixed size, whose steps are written where ``places`` says."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(64, 64)
        self.register_buffer("keys", torch.zeros(32, 64))

    def forward(self, x, places):
        self.keys[places] = self.fc(x)
        mask = torch.arange(32) <= places[:, None]
        scores = (x @ self.keys.mT).masked_fill(~mask, float("-inf"))
        return scores.softmax(-1) @ self.keys


X = torch.randn(64, 512, generator=torch.Generator().manual_seed(1))


def measured(model, *inputs, cache, **options):
    options = {"threads": 1, **options}  # several wait for each other on a busy machine
    return benchmark_model(model, inputs, runtime="torch-eager", cache_dir=str(cache), **options)


def kinds(performance):
    return {flag.kind for flag in performance.flags}


@pytest.mark.parametrize("model", [CachedByAddress, CachedByFunction, StopsAfterTwenty])
def test_what_is_computed_only_before_the_timing_is_a_mismatch(model, cache):
    found = measured(model(), X, cache=cache, iterations=60).verification
    assert found.verdict is Verdict.MISMATCH


def test_a_key_that_several_inputs_share_is_a_mismatch_with_the_original(cache):
    found = measured(CachedByRow(), X, cache=cache, iterations=60).verification
    assert found.verdict is Verdict.MISMATCH
    assert "a timed run did not compute what the original computes" in found.reason


def test_a_lower_precision_after_the_verdict_is_only_close(cache):
    found = measured(HalvedAfterTwenty(), X, cache=cache, iterations=30).verification
    assert (found.verdict, found.cause) == (Verdict.CLOSE, Cause.AFTER_TIMING)


def test_an_object_that_keeps_a_result_is_new_for_each_run(cache):
    honest = measured(Deep(), X, cache=cache, build_name="honest", iterations=30)
    keeping = measured(KeepsInContext(), X, Context(), cache=cache, iterations=30)
    assert keeping.verification.verdict is Verdict.MATCH
    assert keeping.min_latency > honest.min_latency / 5


def test_outputs_that_never_change_are_not_those_of_the_inputs(cache):
    found = measured(Constant(), X, cache=cache, iterations=30)
    assert any("The outputs are the same on" in f.text for f in found.flags)
    assert found.grade is Grade.D


def test_results_kept_by_a_rough_key_outside_of_the_model_are_named(cache):
    found = measured(CachedByMean(), X, cache=cache, iterations=30)
    assert any("it returns what it has kept" in f.text for f in found.flags)
    assert found.grade is Grade.D


def test_features_of_an_earlier_input_are_a_mismatch(cache):
    found = measured(KeepsFeatures(), X, cache=cache, iterations=5).verification
    assert found.verdict is Verdict.MISMATCH


@pytest.mark.parametrize(("model", "more"), [(ChangesMemory, ()), (CountsInADict, ({"calls": 0},))])
def test_a_model_that_changes_its_arguments_gets_new_ones_for_each_run(model, more, cache):
    honest = measured(Deep(), X, cache=cache, build_name="honest", iterations=30)
    changing = measured(model(), X, *more, cache=cache, build_name="changing", iterations=30)
    assert changing.verification.verdict is Verdict.MATCH
    assert changing.min_latency > honest.min_latency / 5


def test_noise_in_a_buffer_is_not_deterministic(cache):
    found = measured(Noise(), torch.randn(4, 8), cache=cache, iterations=5).verification
    assert found.verdict is not Verdict.MATCH


def test_a_dummy_input_that_skips_the_work_is_named(cache):
    found = measured(SkipsZeros(), torch.zeros(64, 512), cache=cache, iterations=30)
    (text,) = [flag.text for flag in found.flags if flag.kind is FlagKind.DUMMY]
    assert "The inputs are one number each" in text
    assert found.grade is Grade.D


@pytest.mark.parametrize("model", [StaticBuffer, OverwrittenState])
def test_memory_that_each_run_overwrites_is_no_state(model, cache):
    found = measured(model(), torch.randn(8, 64), cache=cache, iterations=30)
    assert not kinds(found) & {FlagKind.STATE, FlagKind.SEEN}


def test_a_number_that_changes_is_named(cache):
    found = measured(Counts(), torch.randn(8, 64), cache=cache, iterations=30)
    (text,) = [flag.text for flag in found.flags if flag.kind is FlagKind.STATE]
    assert "calls: " in text


def test_what_grows_in_an_object_that_the_model_holds_is_named(cache):
    found = measured(KeepsAHistory(), torch.randn(8, 64), cache=cache, iterations=30)
    (text,) = [flag.text for flag in found.flags if flag.kind is FlagKind.STATE]
    assert "history.seen: deque of " in text


@pytest.mark.parametrize("places", [range(8), [8]])
def test_a_cache_in_a_buffer_is_what_the_original_has_in_each_verified_run(places, cache):
    model, places = StaticKeys(), torch.tensor([*places])
    with torch.no_grad():
        model(torch.randn(8, 64), torch.arange(8))  # the prompt
    found = measured(model, torch.randn(len(places), 64), places, cache=cache, iterations=30)
    assert found.verification.verdict is Verdict.MATCH, found.verification.reason


def test_a_mask_that_is_made_once_needs_no_caution(cache):
    found = measured(KeepsAMask(), torch.randn(8, 64), cache=cache, iterations=30)
    assert found.verification.verdict is Verdict.MATCH
    assert not kinds(found) & {FlagKind.SEEN, FlagKind.STATE, FlagKind.IMPLAUSIBLE}


# Fresh inputs


def reference_of(**inputs):
    """What an identity computes, on these inputs and on shuffled ones."""
    shuffled = {n: np.roll(a, 3).copy() for n, a in inputs.items()}
    return Reference(inputs, inputs, held_out=(Reference(shuffled, shuffled),))


def test_masks_constants_and_what_never_changed_stay_as_they_are():
    ids, dummy = np.arange(10), np.zeros(10, np.float32)
    image = np.linspace(0, 1, 10, dtype=np.float32)
    attention_mask = np.array([1] * 7 + [0] * 3)
    reference = reference_of(ids=ids, attention_mask=attention_mask, dummy=dummy, image=image)
    assert varied_inputs(reference) == (0, 3)
    reference.held_out[0].inputs["ids"] = ids
    assert varied_inputs(reference) == (3,)


def test_new_inputs_have_the_values_of_a_set_that_the_original_took():
    reference = reference_of(x=np.arange(10, dtype=np.float32), ids=np.arange(10))
    found = unseen(reference, random.Random(0))
    assert sorted(found["x"]) == sorted(reference.inputs["x"])
    held = reference.held_out[0].inputs["ids"]
    assert np.all((found["ids"] == held) | (found["ids"] == reference.inputs["ids"]))
    assert unseen(Reference({}, {}), random.Random(0)) is None


def test_a_sum_of_new_inputs_is_new():
    x = np.linspace(0, 1, 400, dtype=np.float32)
    reference = reference_of(x=x, ids=np.arange(400))
    found = [unseen(reference, random.Random(seed)) for seed in range(20)]
    assert len({float(one["x"].sum(dtype=np.float64)) for one in found}) > 15
    assert len({int(one["ids"].sum()) for one in found}) > 4


def test_results_that_are_kept_by_a_sum_of_the_inputs_are_seen(cache):
    found = measured(CachedBySum(), X, cache=cache, iterations=30)
    assert any("It keeps results" in flag.text for flag in found.flags)


@pytest.fixture
def ort_session(tmp_path):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [16])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [16])
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "model.onnx")
    return OrtSession(str(tmp_path / "model.onnx"), OrtSettings(1))


def torch_session():
    x = torch.arange(16, dtype=torch.float32)
    return TorchSession(torch.neg, Request(threads=1, live=LiveModel(torch.neg, (x,), {})))


@pytest.mark.parametrize("engine", ["ort", "torch"])
def test_runs_compute_on_what_was_written_and_the_recorded_inputs_stay(engine, ort_session):
    session = ort_session if engine == "ort" else torch_session()
    x = np.arange(16, dtype=np.float32)
    recorded = x.copy()
    session.feed({"x": x})
    fresh = FreshInputs(session, {"x": x}, (0,), 128)
    assert len(fresh.sessions) == 8
    seen = set()
    for _ in range(40):
        number = fresh.change_next()
        fresh.sessions[number].run()
        (result,) = fresh.sessions[number].outputs().values()
        assert sorted(-result) == sorted(recorded)  # whole numbers stay such
        assert np.array_equal(-result, fresh._copies[number].values()[0])
        seen.add(tuple(result))
    assert len(seen) > 20
    assert np.array_equal(x, recorded)
    assert fresh.are_intact()
    session.feed({"x": x})
    session.run()
    (result,) = session.outputs().values()
    assert np.array_equal(-result, recorded)


class Plugin:
    """A session of somebody else, which may work in any method; it negates its input."""

    asynchronous = False
    changes_inputs = False

    def __init__(self, **seconds):
        self.seconds = seconds
        self.calls = 0

    def _work(self, method):
        self.calls += 1
        time.sleep(self.seconds.get(method, 0))

    def feed(self, inputs):
        self._work("feed")
        self.inputs = inputs

    def prepare(self):
        self._work("prepare")

    def run(self):
        self._work("run")
        self.result = {"y": -self.inputs["x"]}

    def synchronize(self):
        self._work("synchronize")

    def outputs(self):
        self._work("outputs")
        return self.result

    def settings(self):
        return {}


def checked(session, reference=None):
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    other = Reference({"x": x[::-1].copy()}, {"y": -x[::-1]})
    reference = reference or Reference({"x": x}, {"y": -x}, held_out=(other,))
    session.feed(reference.inputs)
    fresh = FreshInputs(session, reference.inputs, (0,), 256)
    return recheck(session, fresh, reference, "fp32", before={}, verdict=RIGHT)


def performance(median=1.0, flags=(), empty=0.00005):
    return Performance(
        mean_latency=median,
        throughput=1000 / median,
        iterations=100,
        median_latency=median,
        p90_latency=None,
        latency_standard_deviation=0.0,
        min_latency=median,
        max_latency=median,
        warmup_iterations=5,
        flags=flags,
        empty_call_latency=empty,
    )


@pytest.mark.parametrize("method", ["prepare", "synchronize", "outputs", "feed"])
def test_work_outside_of_run_is_found_and_the_method_named(method):
    found = checked(Plugin(**{method: 0.004}))
    flags = [f for f in doubts([found], performance(), None) if f.kind is FlagKind.METHODS]
    assert [f.text.partition("(")[0] for f in flags] == [method]


def test_restoring_inputs_does_not_hide_work():
    session = Plugin(prepare=0.004)
    session.changes_inputs = True
    assert FlagKind.METHODS in {f.kind for f in doubts([checked(session)], performance(), None)}


def test_large_outputs_do_not_hide_work():
    x = np.linspace(-1, 1, 1 << 17, dtype=np.float32)
    reference = Reference({"x": x}, {"y": -x})
    found = checked(Plugin(outputs=0.004), reference)
    assert FlagKind.METHODS in {f.kind for f in doubts([found], performance(), None)}
    honest = checked(Plugin(), reference)
    assert FlagKind.METHODS not in {f.kind for f in doubts([honest], performance(), None)}


def test_a_session_that_works_in_run_has_nothing_to_hide():
    assert not [*doubts([checked(Plugin(run=0.004))], performance(4.0), None)]


def test_a_prepare_that_takes_long_does_not_keep_the_meter():
    session = Plugin(prepare=0.005)
    session.feed({"x": np.ones(4, np.float32)})
    meter = SessionMeter(session)
    meter.make_fresh = lambda: FreshInputs(session, session.inputs, (0,), 16)
    warm = meter.warm_up(QUICK_RULE)
    begin = time.monotonic()
    meter.take(samples=1_000_000, block=warm.block, recovery=1_000_000)
    assert session.calls < 2 * (time.monotonic() - begin) / 0.005 + 1000


def test_runs_that_are_slower_than_in_the_warm_up_do_not_keep_the_meter():
    """A model may compute every tenth call only, so that the median says nothing of the others."""
    moment = [0]

    class Rarely(Plugin):
        def run(self):
            super().run()
            moment[0] += 1_000_000_000 if self.calls % 10 == 0 else 1000

    session = Rarely()
    session.feed({"x": np.ones(4, np.float32)})
    meter = SessionMeter(session, clock=lambda: moment[0])
    meter.fresh = FreshInputs(session, session.inputs, (0,), 16)
    assert len(meter.take(samples=1000, block=5).times) < 20


@pytest.mark.parametrize("method", ["synchronize", "outputs"])
def test_what_a_plugin_only_begins_in_run_is_timed_to_its_end(method):
    """Otherwise runs would pile up behind the ones that are timed, for minutes."""
    session = Plugin(**{method: 0.004})
    session.feed({"x": np.ones(4, np.float32)})
    meter = SessionMeter(session)
    meter.make_fresh = lambda: FreshInputs(session, session.inputs, (0,), 16)
    assert meter.warm_up(QUICK_RULE).typical > 4e6


class Memoizing(Plugin):
    """Knows the answer to every input that it has seen."""

    def __init__(self, **seconds):
        super().__init__(**seconds)
        self.known = {}

    def run(self):
        key = self.inputs["x"].tobytes()
        if key not in self.known:
            super().run()
            self.known[key] = self.result
        self.result = self.known[key]


def test_a_plugin_that_memoizes_is_faster_on_what_it_has_seen():
    found = checked(Memoizing(run=0.004))
    flags = {f.kind: f.text for f in doubts([found], performance(0.001), None)}
    assert "It is faster on inputs that it has seen" in flags[FlagKind.SEEN]
    honest = {f.kind: f.text for f in doubts([found], performance(4.0), None)}
    assert "The latency is that on new inputs" in honest[FlagKind.STATE]


def test_a_session_that_returns_its_last_results_is_a_mismatch_afterwards():
    session = Plugin()
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    reference = Reference({"x": x}, {"y": -x})
    session.feed(reference.inputs)
    session.run = lambda: setattr(session, "result", {"y": np.ones(32, np.float32)})
    found = checked(session, reference)
    assert found.verification.cause is Cause.AFTER_TIMING


# What speaks against a number


def about(median, **facts):
    return {flag.kind: flag.text for flag in doubts([Recheck(**facts)], performance(median), None)}


def ratio(value):
    return PairedRatio(value, 0.9 * value, 1.1 * value)


class EverySecond(Plugin):
    """Is a little off in every second run, as one that returns the result of the run before."""

    runs = 0

    def run(self):
        super().run()
        self.runs += 1
        self.result = {"y": self.result["y"] * (1 + 1e-3 * (self.runs % 2 == 0))}


def test_runs_that_differ_a_little_on_the_same_inputs_are_only_close():
    session, x = EverySecond(), np.linspace(-1, 1, 32, dtype=np.float32)
    other = Reference({"x": x[::-1].copy()}, {"y": -x[::-1]})
    reference = Reference({"x": x}, {"y": -x}, held_out=(other,))
    session.feed(reference.inputs)
    fresh = FreshInputs(session, reference.inputs, (0,), 256)
    fresh.begin_slice()
    for _ in range(2):
        session.run()
    fresh.keep(0)
    found = recheck(session, fresh, reference, "fp32", before={}, verdict=RIGHT).verification
    assert found.verdict is Verdict.CLOSE
    assert "two runs on the same inputs differ" in found.reason


def test_an_empty_call_is_no_model():
    assert FlagKind.IMPLAUSIBLE in about(0.00006)
    assert FlagKind.IMPLAUSIBLE in about(0.0002)  # it looks up what it has kept
    assert not about(0.0005)


def test_small_models_are_held_to_the_peaks_too():
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    small = Reference({"x": x}, {"y": -x})
    small.count = OperationCount(1e6, 1000)
    found = checked(Plugin(), small)
    assert found.most_flops
    texts = [flag.text for flag in doubts([found], performance(1e-4), None)]
    assert any("TFLOPs per second" in text for text in texts)


def test_runs_that_are_ten_times_as_slow_when_verified_are_doubted():
    slow = {"recorded_latency": 3.4, "new_latency": 3.5, "again_latency": 3.4}
    assert "does something else" in about(0.2, **slow)[FlagKind.IMPLAUSIBLE]
    assert not about(1.0, **slow)
    cold = {"recorded_latency": 0.03, "new_latency": 0.04, "again_latency": 0.02}
    assert not about(0.002, **cold)


def test_faster_than_the_processors_compute_is_doubted():
    count = OperationCount(flops=1e9, weight_bytes=1000)
    assert "TFLOPs per second" in about(0.001, count=count, most_flops=1e12)[FlagKind.IMPLAUSIBLE]
    assert not about(10.0, count=count, most_flops=1e12)


def test_the_rate_of_matrix_products_is_that_of_one_thread():
    """Several would wait for each other on a busy machine, and honest models be faster."""
    busy, begin = time.process_time(), time.perf_counter()
    assert product_rate() > 0
    used = (time.process_time() - busy) / (time.perf_counter() - begin)
    assert used < 1.5


def test_faster_than_the_memory_gives_the_weights_is_doubted():
    count = OperationCount(flops=1e6, weight_bytes=40_000_000_000)
    found = Recheck(count=count, most_flops=1e12, cache_bytes=1 << 25)
    (flag,) = doubts([found], performance(1.0), 10.0)
    assert "the memory cannot give" in flag.text
    assert not [*doubts([found], performance(1000.0), 10.0)]


def test_a_latency_that_depends_on_values_says_by_how_much():
    values = {"recorded_latency": 1.0, "new_latency": 4.0, "again_latency": 4.0}
    text = about(1.0, **values, new=ratio(4.0), again=ratio(4.0))[FlagKind.VALUES]
    assert "3.6 to 4.4 times" in text
    assert not about(1.0, **values, new=ratio(1.2), again=ratio(1.2))


def test_a_check_that_fails_is_said():
    assert "could not be run again: it died" in about(1.0, failure="it died")[FlagKind.IMPLAUSIBLE]


def test_what_is_not_credible_has_grade_d_and_wins_nothing():
    from turnkeyml.measure import grade_of
    from turnkeyml.nouns import Evaluation, Flag

    doubted = performance(flags=(Flag(FlagKind.SEEN, "…"),))
    evaluation = Evaluation("x86", "cpu", "ort", verification=RIGHT, performance=doubted)
    assert grade_of(doubted, None) is Grade.D
    assert not RaceRow("ort", evaluation).may_win


def test_one_interruption_does_not_widen_a_ratio():
    found = PairedRatio.of([1.0] * 9 + [50.0], [1.0] * 10)
    assert (found.median, found.low, found.high) == (1.0, 1.0, 1.0)


def test_exactly_as_many_runs_as_asked_are_timed_with_fresh_inputs(cache):
    found = measured(KeepsAMask(), torch.randn(8, 64), cache=cache, iterations=37)
    assert found.iterations == 37
    assert Rule.exactly(37).iterations == 37
