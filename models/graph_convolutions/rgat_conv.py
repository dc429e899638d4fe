# labels: name::rgat_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::93591
"""
RGATConv of torch_geometric, on a graph of the size of Cora.

Relational Graph Attention Networks:
https://arxiv.org/abs/1904.05811
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/rgat_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import RGATConv

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
            self.convs.append(RGATConv(before, after, num_relations=4))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index, edge_type):
        for conv in self.convs:
            x = conv(x, edge_index, edge_type).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "edge_type": torch.randint(0, 4, (edges,)),
}

# Call the model
model(**inputs)
