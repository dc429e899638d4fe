# labels: name::dense_gcn_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions,sample params::23335
"""
DenseGCNConv of torch_geometric, on graphs of the size of Cora, with their edges as a matrix.

https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/dense/dense_gcn_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import DenseGCNConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, in_channels, out_channels, num_layers = parse(
    ["batch_size", "in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Graph convolutions, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for before, after in pairwise([in_channels, *[out_channels] * num_layers]):
            self.convs.append(DenseGCNConv(before, after))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, adj):
        for conv in self.convs:
            x = conv(x, adj).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(batch_size, nodes, in_channels),
    "adj": (torch.rand(batch_size, nodes, nodes) < edges / nodes**2).float(),
}

# Call the model
model(**inputs)
