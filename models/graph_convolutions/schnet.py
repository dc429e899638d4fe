# labels: name::schnet author::torch_geometric task::molecular_property_prediction license::mit test_group::graph_convolutions params::455809
"""
SchNet of torch_geometric, on molecules of 18 atoms.

SchNet: A Continuous-filter Convolutional Neural Network for Modeling Quantum Interactions:
https://arxiv.org/abs/1706.08566
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/schnet.py
"""

import torch
from torch_geometric.nn import SchNet

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# What the graph counts
atoms = 18


class AllPairs(torch.nn.Module):
    """Every atom of a molecule interacts with every other one of it."""

    def __init__(self):
        super().__init__()
        one = torch.arange(atoms * batch_size)
        together = one[:, None] // atoms == one // atoms
        self.register_buffer("pairs", (together & (one[:, None] != one)).nonzero().t())

    def forward(self, pos, batch):
        one, other = self.pairs
        return self.pairs, (pos[one] - pos[other]).norm(dim=-1)


# The model and its inputs
model = SchNet(interaction_graph=AllPairs())
model.eval()
inputs = {
    "z": torch.randint(1, 10, (atoms * batch_size,)),
    "pos": 3 * torch.randn(atoms * batch_size, 3),
    "batch": torch.arange(batch_size).repeat_interleave(atoms),
}

# Call the model
model(**inputs)
