# labels: name::signed_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::93543
"""
SignedConv of torch_geometric, on a graph of the size of Cora with positive and negative edges.

Signed Graph Convolutional Network:
https://arxiv.org/abs/1808.06354
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/signed_conv.py
"""

import torch
from torch_geometric.nn import SignedConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels = parse(["in_channels", "out_channels"])

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Convolutions for what likes and what does not, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.first = SignedConv(in_channels, out_channels, first_aggr=True)
        self.second = SignedConv(out_channels, out_channels, first_aggr=False)
        self.head = torch.nn.Linear(2 * out_channels, classes)

    def forward(self, x, pos_edge_index, neg_edge_index):
        x = self.first(x, pos_edge_index, neg_edge_index).relu()
        x = self.second(x, pos_edge_index, neg_edge_index).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "pos_edge_index": torch.randint(0, nodes, (2, edges)),
    "neg_edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
