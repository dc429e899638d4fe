# labels: name::agnn_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::23065
"""
AGNNConv of torch_geometric, on a graph of the size of Cora.

Attention-based Graph Neural Network for Semi-Supervised Learning:
https://arxiv.org/abs/1803.03735
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/agnn_conv.py
"""

import torch
from torch_geometric.nn import AGNNConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Graph convolutions between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for _ in range(num_layers):
            self.convs.append(AGNNConv())
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x).relu()
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
