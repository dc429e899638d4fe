# labels: name::ssg_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::23335
"""
SSGConv of torch_geometric, on a graph of the size of Cora.

Simple Spectral Graph Convolution:
https://openreview.net/forum?id=CYO5T-YjWZV
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/ssg_conv.py
"""

import torch
from torch_geometric.nn import SSGConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, k, alpha = parse(
    ["in_channels", "out_channels", "k", "alpha"], k=16, alpha=0.05
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """A graph convolution between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.conv = SSGConv(out_channels, out_channels, alpha=alpha, K=k)
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x).relu()
        x = self.conv(x, edge_index).relu()
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
