# labels: name::gcn2_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::354375
"""
GCN2Conv of torch_geometric, on a graph of the size of Cora.

Simple and Deep Graph Convolutional Networks:
https://arxiv.org/abs/2007.02133
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/gcn2_conv.py
"""

import torch
from torch_geometric.nn import GCN2Conv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], out_channels=64, num_layers=64
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Convolutions that are reminded of the first features, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for layer in range(1, num_layers + 1):
            self.convs.append(GCN2Conv(out_channels, alpha=0.1, theta=0.5, layer=layer))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = first = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, first, edge_index).relu()
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
