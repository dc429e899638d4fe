"""Models that decide by value, each in a way of its own, and what their builds are called."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from turnkeyml import build_model
from turnkeyml.cache import BuildFolder, BuildState
from turnkeyml.evaluate import measure_again
from turnkeyml.frameworks import CallWork, TooMuchWork, branches_of, preserved
from turnkeyml.nouns import Cause, Plan, Verdict
from turnkeyml.verify import (
    MOST_NUMBERS,
    NOT_EXERCISED,
    UNUSUAL,
    Reference,
    draw_around,
    draw_unusual,
    load_reference,
)

DRAWN = torch.Generator().manual_seed(0)


class Deciding(nn.Module):
    """Two layers; subclasses choose."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(8, 8), nn.Linear(8, 8)


class Threshold(Deciding):
    """Inputs like the recorded one never reach the threshold."""

    def forward(self, x):
        return self.other(x) if x.abs().max() > 6 else self.one(x)


class Number(Deciding):
    """Python compares a number, so that nobody sees the decision itself."""

    def forward(self, x):
        return self.one(x) * (2.0 if x.abs().max().item() > 6 else 1.0)


class Silent(Deciding):
    """Torch's tracer does not warn of this one."""

    def forward(self, x):
        return self.one(x) if torch.is_nonzero((x < 0).any()) else self.other(x)


class Nearly(Deciding):
    """The other path is close to this one."""

    def forward(self, x):
        y = self.one(x)
        return y * 1.02 if x.mean() > 0.02 else y


class AllZero(Deciding):
    def forward(self, x):
        return self.other(x + 1) if x.norm() == 0 else self.one(x)


class Outside(Deciding):
    """NumPy decides."""

    def forward(self, x):
        return self.other(x) if np.asarray(x.detach()).max() > 6 else self.one(x)


class Ordered(Deciding):
    """Python sorts, and reads other booleans on every input, on the line of the decision."""

    def forward(self, x):
        return self.other(x) if sorted(x.flatten())[-1] > 20 else self.one(x)


class Multiple(Deciding):
    """Lengths like the recorded ones are all padded to one size."""

    def forward(self, x, spans):
        return self.one(x[: (int(spans.max()) + 3) // 4 * 4]).sum(0)


class Padded(nn.Module):
    """There is no padding in the recorded tokens."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(1000, 8)

    def forward(self, ids):
        x = self.table(ids)
        return (x * (ids != 0)[..., None] if (ids == 0).any() else x).mean(1)


class Unmasked(Deciding):
    """A shortcut for masks that are all true, which the recorded one is not."""

    def forward(self, x, mask):
        if mask.all():
            return self.other(x)
        return self.one(x) * mask[..., None]


class Timestep(Deciding):
    """A single integer, far below where it matters."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scales", torch.linspace(1, 2, 1000))

    def forward(self, x, timestep):
        y = self.other(x) if timestep < 500 else self.one(x)
        return y * self.scales[timestep.long()]


class Converging(Deciding):
    """Iterates until nothing changes any more."""

    def forward(self, x):
        z = torch.zeros_like(x)
        for _ in range(50):
            before, z = z, torch.tanh(0.3 * self.one(z) + x)
            if (z - before).norm() < 0.1:
                break
        return z


class Token(Padded):
    """One token of a thousand changes everything, and it is not among the recorded ones."""

    def forward(self, ids):
        x = self.table(ids).mean(1)
        return -x if (ids == 777).any() else x


class FirstToken(Padded):
    """Python compares the token with an attribute."""

    special = 101

    def forward(self, ids):
        x = self.table(ids).mean(1)
        return -x if ids[0, 0].item() == self.special else x


class Far(Deciding):
    def forward(self, x):
        return self.other(x) if x.max() > 5000 else self.one(x)


class Between(Deciding):
    """Neither usual nor much larger inputs take the other way."""

    def forward(self, x):
        return self.other(x) if 1.4 < x.abs().mean().item() < 1.8 else self.one(x)


class Sparse(Deciding):
    """By how many numbers are not zero, which is never as many as here."""

    def forward(self, x):
        return self.one(x) if x.relu().to_sparse()._nnz() > 28 else self.other(x)


class InAThread(Deciding):
    """What torch's tracer does not see, and inputs like the recorded ones do not turn."""

    def forward(self, x):
        read = []
        thread = threading.Thread(target=lambda: read.append(x.abs().max().item()))
        thread.start()
        thread.join()
        return self.one(x) * (2.0 if read[0] > 20 else 1.0)


class InAPool(Deciding):
    pool = ThreadPoolExecutor(1)

    def forward(self, x):
        large = self.pool.submit(lambda: bool(x.abs().max() > 20)).result()
        return self.other(x) if large else self.one(x)


class Divided(Deciding):
    """Sizes that must have a sum."""

    def forward(self, x, parts):
        return torch.stack([self.one(part).mean(0) for part in x.split(parts.tolist())])


FLOATS = torch.randn(4, 8, generator=DRAWN)
IDS = torch.randint(1, 1000, (2, 12), generator=DRAWN)
MASK = torch.tensor([[True, True, True, False], [True, True, False, False]])


def build(cache: Path, model: nn.Module, *inputs: torch.Tensor) -> BuildState:
    return build_model(model, inputs, build_name="b", cache_dir=str(cache), monitor=False)


@pytest.mark.parametrize(
    ("model", "inputs"),
    [
        (Threshold, (FLOATS,)),
        (Number, (FLOATS,)),
        (Silent, (FLOATS,)),
        (Nearly, (FLOATS.abs(),)),
        (AllZero, (FLOATS,)),
        (Outside, (FLOATS,)),
        (Ordered, (FLOATS,)),
        (Multiple, (FLOATS.repeat(4, 1), torch.tensor([5, 8, 6]))),
        (Padded, (IDS,)),
        (Unmasked, (FLOATS.expand(2, 4, 8), MASK)),
        (Timestep, (FLOATS, torch.tensor(10))),
        (Converging, (FLOATS,)),
        (Token, (IDS,)),
        (FirstToken, (IDS,)),
        (Far, (FLOATS,)),
        (Between, (FLOATS,)),
        (Sparse, (FLOATS,)),
        (InAThread, (FLOATS,)),
        (InAPool, (FLOATS,)),
    ],
)
def test_a_decision_that_ordinary_inputs_do_not_turn_is_found(tmp_path, model, inputs):
    torch.manual_seed(0)
    found = build(tmp_path, model(), *inputs).verification
    assert (found.verdict, found.cause) == (Verdict.SPECIALISED, Cause.HELD_OUT), found
    assert any("test_decisions.py, line" in place for place in found.frozen)
    plan = Plan(str(tmp_path), "x86", ("ort",), iterations=2)
    (measured,) = measure_again(BuildFolder(tmp_path, "b"), plan, "none")
    assert measured.verdict is Verdict.SPECIALISED
    assert measured.verification.frozen == found.frozen


def test_sizes_that_must_have_a_sum_are_exercised(tmp_path):
    torch.manual_seed(0)
    state = build(tmp_path, Divided(), FLOATS.repeat(3, 1), torch.tensor([3, 4, 5]))
    assert NOT_EXERCISED not in state.verification.reason
    assert any(held.inputs["parts"].tolist() == [5, 4, 3] for held in held_out(tmp_path, state))


def held_out(cache: Path, state: BuildState) -> tuple[Reference, ...]:
    assert state.reference is not None
    return load_reference(BuildFolder(cache, "b"), state.reference).held_out


class Guarded(nn.Module):
    """A guard that valid inputs never trip, before a chain that magnifies what comes in."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(32, 32) for _ in range(4))

    def forward(self, x):
        if torch.isnan(x).any():
            x = torch.nan_to_num(x)
        for layer in self.layers:
            x = torch.sin(3 * layer(x))
        return x


def test_a_frozen_value_that_nothing_exercises_is_named_beside_the_match(tmp_path):
    torch.manual_seed(0)
    found = build(tmp_path, Guarded(), torch.randn(4, 32)).verification
    assert found.verdict is Verdict.MATCH
    assert NOT_EXERCISED in found.reason
    (place,) = found.frozen
    assert place.endswith("converting a tensor to a Python boolean")
    plan = Plan(str(tmp_path), "x86", ("ort",), iterations=2)
    (measured,) = measure_again(BuildFolder(tmp_path, "b"), plan, "none")
    assert (measured.verdict, measured.verification.frozen) == (Verdict.MATCH, found.frozen)


class ByShape(nn.Module):
    """Decides by shape, of which torch warns as well, and by a constant."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)
        self.register_buffer("count", torch.tensor(2))

    def forward(self, x):
        if x.shape[2] % 4 != 0:
            x = nn.functional.pad(x, (0, int(4 - x.shape[2] % 4)))
        for _ in range(int(self.count)):
            x = x * 1.1
        return self.layer(x)


def test_shapes_and_constants_are_no_decisions(tmp_path):
    found = build(tmp_path, ByShape(), torch.randn(1, 3, 10, 10)).verification
    assert (found.verdict, found.frozen, found.held_out) == (Verdict.MATCH, (), 4)


class Kept(nn.Module):
    """A decision that the exporter keeps."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 4)

    def forward(self, x, start):
        return self.layer(x)[:, start.item() :]


def test_a_decision_that_an_exporter_keeps_is_a_match(tmp_path):
    found = build(tmp_path, Kept(), torch.randn(2, 10, 8), torch.tensor(3)).verification
    assert (found.verdict, found.frozen) == (Verdict.MATCH, ())


class Conditional(Deciding):
    """Either branch may be taken; inputs like the recorded one never take the first."""

    def forward(self, x):
        return torch.cond(x.max() > 50, self.one, self.other, (x,))


def test_branches_of_torch_cond_are_kept_and_both_are_verified(tmp_path):
    state = build(tmp_path, Conditional(), FLOATS)
    found = state.verification
    assert (found.verdict, found.frozen) == (Verdict.MATCH, ())
    first = [held.inputs["x"].max() > 50 for held in held_out(tmp_path, state)]
    assert any(first)
    assert not all(first)


def test_operators_in_a_branch_and_without_autograd_are_seen():
    model, large = Conditional().eval(), 100 * torch.ones(4, 8)
    small = branches_of(lambda: model(FLOATS), model, [FLOATS])
    other = branches_of(lambda: model(large), model, [large])
    assert [read.values for read in (*small.reads.values(), *other.reads.values())] == [
        (False,),
        (True,),
    ]
    assert small.weights
    assert small.weights.isdisjoint(other.weights)
    with torch.inference_mode():
        assert branches_of(lambda: model.one(FLOATS), model, []).weights == other.weights


class Growing(nn.Module):
    """Its table grows with the largest position that it has seen."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.largest, self.seen = 6, []
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, positions):
        self.calls += 1
        self.largest = max(self.largest, int(positions.max()) + 1)
        self.seen.append(self.largest)
        return self.layer(x) * torch.cos(positions / self.largest)[..., None]


def test_other_inputs_and_exporters_leave_no_trace_in_the_model(tmp_path):
    model, x = Growing().eval(), torch.randn(2, 6, 8)
    positions = torch.arange(6).expand(2, 6)
    before = model(x, positions)
    with preserved(model):
        model(x, 100 * positions)
    assert (model.largest, model.seen, model.calls.item()) == (6, [6], 1)
    build(tmp_path, model, x, positions)
    assert torch.equal(model(x, positions), before)


def test_a_loop_that_runs_away_is_stopped_by_its_operators():
    layer = nn.Linear(8, 8)

    def loop():
        x = FLOATS
        while True:
            x = layer(x)

    with pytest.raises(TooMuchWork, match="more than 50 operators"), torch.no_grad():
        branches_of(loop, layer, [FLOATS], most=CallWork(operators=50, numbers=10**9))


class Grouped(Deciding):
    """As many groups as the largest number says."""

    def forward(self, x, group):
        groups = x.new_zeros(int(group.max()) + 1, *x.shape)
        if x.sum() > 0:
            groups[group.long()] = self.one(x)
        return self.other(groups).sum(0)


def test_what_takes_far_more_memory_on_other_inputs_is_not_tried():
    large, few = torch.tensor([2]), torch.randn(1000, 8)
    with torch.no_grad():
        model, most = Grouped().eval(), CallWork(operators=50, numbers=10**6)
        assert branches_of(lambda: model(few, large), model, [few, large], most).reads
        large += 100
        with pytest.raises(TooMuchWork, match="more than 1,000,000 numbers"):
            branches_of(lambda: model(few, large), model, [few, large], most)


@pytest.mark.parametrize(
    "read",
    [
        lambda x: bool(x.sum() > 0),
        lambda x: int(x.sum()),
        lambda x: x.sum().item(),
        lambda x: x.tolist(),
        lambda x: x.numpy(),
        lambda x: torch.tensor([x.min(), x.max()]),
        lambda x: torch.equal(x, x + 1),
        lambda x: [1, 2, 3][(x[0, 0] > 0).long()],
        np.asarray,
        np.from_dlpack,
        str,
        pickle.dumps,
        lambda x: bytes(x.untyped_storage()),
        lambda x: x.data_ptr(),
        lambda x: x.to_sparse()._nnz(),
        lambda x: x.to_sparse_csr()._nnz(),
        lambda x: x.apply_(abs),
        lambda x: x.map_(x.clone(), max),
        lambda x: nn.utils.rnn.pack_padded_sequence(x[:, None], x[0, :1].long().clamp(4, 4)),
    ],
)
def test_every_way_to_read_a_value_is_seen(read):
    model = nn.Linear(8, 8)
    with torch.no_grad():
        seen = branches_of(lambda: read(model(FLOATS)), model, [FLOATS])
        constant = branches_of(lambda: read(torch.ones(4, 8)), model, [FLOATS])
    assert all("test_decisions.py" in read.place for read in seen.reads.values())
    assert seen.reads
    assert not constant.reads


def test_courses_differ_by_weights_operators_and_booleans():
    model = Threshold()
    with torch.no_grad():
        small, large = (
            branches_of(lambda x=x: model(x), model, [x]) for x in (FLOATS, 100 * FLOATS)
        )
        again = branches_of(lambda: model(2 * FLOATS / 2), model, [FLOATS])
    assert small.path != large.path
    assert not small.same_as(large)
    ((read,), (same,)) = small.reads.values(), again.reads.values()
    assert read.place == same.place


RECORDED = {
    "x": np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32),
    "scalar": np.float32(2.0).reshape(()),
    "ids": np.array([[3, 7, 5]]),
    "step": np.array(10),
    "attention_mask": np.array([[1, 1, 0]]),
    "flag": np.array(True),
    "bits::bfloat16": np.arange(4, dtype=np.uint16),
    "empty": np.zeros((0, 3), np.float32),
}


@pytest.mark.parametrize("variant", UNUSUAL)
def test_unusual_inputs_have_the_shapes_and_dtypes_of_the_recorded(variant):
    drawn = draw_unusual(RECORDED, variant)
    assert {n: (a.shape, a.dtype) for n, a in drawn.items()} == {
        n: (a.shape, a.dtype) for n, a in RECORDED.items()
    }
    assert set(np.unique(drawn["attention_mask"])) <= {0, 1}
    again = draw_unusual(RECORDED, variant)
    assert all(np.array_equal(drawn[name], array) for name, array in again.items())


def test_inputs_around_a_number_have_it_and_more_and_less_of_it():
    recorded = {"ids": np.array([[3, 4], [5, 6]]), "x": np.array([1.0, -2.0], np.float32)}
    sets = list(draw_around(recorded, [50.0]))
    firsts = [inputs["ids"][:, 0].tolist() for inputs in sets]
    assert all(wanted in firsts for wanted in ([50, 50], [51, 51], [49, 49]))
    assert {np.abs(inputs["x"]).max() for inputs in sets} >= {100.0, 25.0}
    assert all(inputs[name].dtype == recorded[name].dtype for inputs in sets for name in recorded)


def test_only_so_many_numbers_are_tried():
    recorded = {"x": np.ones(3, np.float32)}
    most = len(list(draw_around(recorded, range(1, MOST_NUMBERS + 1))))
    assert len(list(draw_around(recorded, [float("nan"), *range(1, 1000)]))) == most


def test_threads_are_as_they_were_after_a_model_was_watched():
    before = threading.Thread.start, ThreadPoolExecutor.submit
    torch.manual_seed(0)
    model = InAThread()
    assert branches_of(lambda: model(FLOATS), model, [FLOATS]).reads
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == before
