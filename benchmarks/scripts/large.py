# labels: name::large
"""A gigabyte of weights."""

import torch

torch.manual_seed(0)
with torch.no_grad():
    model = torch.nn.Sequential(*[torch.nn.Linear(4096, 4096) for _ in range(16)]).eval()
    model(torch.rand(1, 4096))
