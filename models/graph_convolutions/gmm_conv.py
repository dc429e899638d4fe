# labels: name::gmm_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::603135
"""
GMMConv of torch_geometric, on a graph of the size of Cora.

Geometric Deep Learning on Graphs and Manifolds using Mixture Model CNNs:
https://arxiv.org/abs/1611.08402
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/gmm_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import GMMConv

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
            self.convs.append(GMMConv(before, after, dim=2, kernel_size=25))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index, edge_attr):
        for conv in self.convs:
            x = conv(x, edge_index, edge_attr).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "edge_attr": torch.rand(edges, 2),
}

# Call the model
model(**inputs)
