"""Small models that decide by the values of their inputs, and whose export keeps the decision."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

WIDTH = 16


class Decider(nn.Module):
    """Two layers to decide between."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)


@torch.jit.script
def either(
    condition: torch.Tensor, x: torch.Tensor, a: torch.Tensor, b: torch.Tensor
) -> torch.Tensor:
    """A branch that a trace keeps."""
    if bool(condition):
        y = x @ a
    else:
        y = x @ b
    return y


@torch.jit.script
def repeat(x: torch.Tensor, weight: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    for _ in range(int(steps)):
        x = torch.tanh(x @ weight)
    return x


@torch.jit.script
def shrink(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Until the result is small enough."""
    while bool(x.abs().mean() > 0.1):
        x = torch.tanh(x @ weight)
    return x


@torch.jit.script
def until_sure(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The layers of an early exit."""
    for i in range(weights.shape[0]):
        x = torch.tanh(x @ weights[i])
        if bool(x.mean() > 0):
            break
    return x


class Branch(Decider):
    """By torch.cond."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.mean() > 0, self.one, self.other, (x,))


class ScriptedBranch(Decider):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return either(x.sum() > 0, x, self.one.weight, self.other.weight)


class LargestBranch(Decider):
    """As guards against overflow do."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return either(x.amax() > 2.5, x, self.one.weight, self.other.weight)


class Switch(Decider):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.where(x.mean() > 0, self.one(x), self.other(x))


class SmallSwitch(Decider):
    """It matters little which way it goes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.one(x) * torch.where(x.mean() > 0, 1.0, 1.05)


class SwitchByNorm(Decider):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.where(x.pow(2).mean() > 1, self.one(x), self.other(x))


class SwitchPerRow(Decider):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.where(x.sum(-1, keepdim=True) > 0, self.one(x), self.other(x))


class Flag(Decider):
    """By an input."""

    def forward(self, x: torch.Tensor, training: torch.Tensor) -> torch.Tensor:
        return torch.where(training.any(), self.one(x), self.other(x))


class Cut(Decider):
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return self.one(x)[:, : lengths.max()]


class MeanOfValid(Decider):
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        valid = torch.arange(x.shape[1])[None] < lengths[:, None]
        return torch.where(valid[..., None], self.one(x), 0.0).sum(1) / lengths[:, None]


class LastToken(Decider):
    """The one before the padding, as classifiers on decoders take it."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(30, WIDTH)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        x = self.one(self.table(input_ids)).cumsum(1)
        last = (input_ids == 0).int().argmax(-1) - 1
        return self.other(x[torch.arange(len(x)), last % x.shape[1]])


class Expert(Decider):
    """The best of four."""

    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.Parameter(torch.randn(4, WIDTH, WIDTH) / 4)
        self.gate = nn.Linear(WIDTH, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        best = self.gate(x).mean(0).argmax()
        return self.one(torch.tanh(x @ self.experts[best]))


class Scaled(Decider):
    """By the largest number of the input, as dynamic quantisation does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = self.one(x).abs().amax()
        return self.other(torch.round(self.one(x) / scale * 127) / 127)


class Steps(Decider):
    def forward(self, x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        return repeat(self.other(x), self.one.weight, steps)


class Shrinking(Decider):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.other(shrink(3 * x, self.one.weight))


class EarlyExit(Decider):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Parameter(torch.randn(5, WIDTH, WIDTH) / 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.other(until_sure(self.one(x), self.layers))


def rows() -> tuple[torch.Tensor]:
    return (torch.randn(6, WIDTH),)


def sequences() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(4, 10, WIDTH), torch.randint(2, 11, (4,))


def padded_text() -> tuple[torch.Tensor]:
    ids = torch.randint(1, 30, (4, 12))
    for row, length in zip(ids, torch.randint(3, 12, (4,)), strict=True):
        row[length:] = 0
    return (ids,)


DECISIONS: dict[str, tuple[type[nn.Module], Any]] = {
    "branch by torch.cond": (Branch, rows),
    "branch, scripted": (ScriptedBranch, rows),
    "branch by the largest": (LargestBranch, rows),
    "where, one mean": (Switch, rows),
    "where, 5% apart": (SmallSwitch, rows),
    "where, by norm": (SwitchByNorm, rows),
    "where, per row": (SwitchPerRow, rows),
    "where, a flag": (Flag, lambda: (*rows(), torch.rand(4) > 0.7)),
    "cut at the longest": (Cut, sequences),
    "mean of what is valid": (MeanOfValid, sequences),
    "last token": (LastToken, padded_text),
    "best expert": (Expert, rows),
    "scaled by its largest": (Scaled, rows),
    "loop, counted": (Steps, lambda: (*rows(), torch.randint(1, 6, ()))),
    "loop until small": (Shrinking, rows),
    "early exit": (EarlyExit, rows),
}
"""What makes each model, and its inputs."""
