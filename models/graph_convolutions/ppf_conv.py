# labels: name::ppf_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::24071
"""
PPFConv of torch_geometric, on a cloud of 2708 points.

PPFNet: Global Context Aware Local Features for Robust 3D Point Matching:
https://arxiv.org/abs/1802.02669
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/ppf_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import MLP, PPFConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Graph convolutions, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for before, after in pairwise([in_channels, *[out_channels] * num_layers]):
            self.convs.append(PPFConv(local_nn=MLP([before + 4, after, after])))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, pos, normal, edge_index):
        for conv in self.convs:
            x = conv(x, pos, normal, edge_index).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "pos": torch.rand(nodes, 3),
    "normal": torch.nn.functional.normalize(torch.randn(nodes, 3)),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
