# labels: name::sage_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions,sample params::46519
"""
SAGEConv of torch_geometric, on a graph of the size of Cora.

Inductive Representation Learning on Large Graphs:
https://arxiv.org/abs/1706.02216
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/sage_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import SAGEConv

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
            self.convs.append(SAGEConv(before, after))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
