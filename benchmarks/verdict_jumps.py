"""Small models whose outputs jump where rounding turns a decision, and clip what is large."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

WIDTH = 16


class Jumping(nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(WIDTH, 32), nn.Linear(32, WIDTH)

    def body(self, x: torch.Tensor) -> torch.Tensor:
        return self.other(nn.functional.silu(self.one(x)))


class Rounded(Jumping):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.round(10 * self.body(x))


class Signs(Jumping):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sign(self.body(x))


class Gated(Jumping):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(x)
        return (y > 0) * (1 + y)


class Ordered(Jumping):
    """Rows in the order of their sums."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(x)
        return y[y.sum(-1).argsort(descending=True)]


class Codes(Jumping):
    """The nearest row of a table for each row, as a vector quantiser has it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.randn(64, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.table[torch.cdist(self.body(x), self.table).argmin(-1)]


class Routed(Jumping):
    """Two of eight experts for each row."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, 8)
        self.experts = nn.Parameter(torch.randn(8, WIDTH, WIDTH) / 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, best = self.gate(x).softmax(-1).topk(2, -1)
        y = torch.einsum("ni,nkij->nkj", x, self.experts[best])
        return self.body((y * weights[..., None]).sum(1))


class Clipped(Jumping):
    """Larger inputs than the recorded ones reach the bound."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.other((2 * self.one(x)).clamp(0, 6))


JUMPS: dict[str, tuple[type[nn.Module], Any]] = {
    "rounded numbers": (Rounded, lambda: (torch.randn(50, WIDTH),)),
    "signs": (Signs, lambda: (torch.randn(20, WIDTH),)),
    "gated": (Gated, lambda: (torch.randn(32, WIDTH),)),
    "rows in order": (Ordered, lambda: (torch.randn(16, WIDTH),)),
    "nearest codes": (Codes, lambda: (torch.randn(32, WIDTH),)),
    "routed experts": (Routed, lambda: (torch.randn(32, WIDTH),)),
    "clipped": (Clipped, lambda: (torch.randn(4, WIDTH),)),
}
"""What makes each model, and its inputs."""
