"""A model that no build can match as a whole in fp16."""

from __future__ import annotations

import torch

__all__ = ["Chaotic"]


class Chaotic(torch.nn.Module):
    """Every layer triples a difference, as deep models with random weights may."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(24))
        for layer in self.layers:
            torch.nn.init.normal_(layer.weight, std=3 / 8)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x
