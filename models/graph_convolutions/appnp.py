# labels: name::appnp author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::23063
"""
APPNP of torch_geometric, on a graph of the size of Cora.

Predict then Propagate: Graph Neural Networks meet Personalized PageRank:
https://arxiv.org/abs/1810.05997
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/appnp.py
"""

import torch
from torch_geometric.nn import APPNP

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, k, alpha = parse(
    ["in_channels", "out_channels", "k", "alpha"], k=10, alpha=0.1
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """A graph convolution between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.conv = APPNP(K=k, alpha=alpha)
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
