# labels: name::nn_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::32311
"""
NNConv of torch_geometric, on a graph of the size of Cora.

Neural Message Passing for Quantum Chemistry:
https://arxiv.org/abs/1704.01212
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/nn_conv.py
"""

import torch
from torch_geometric.nn import NNConv

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
            self.convs.append(
                NNConv(out_channels, out_channels, nn=torch.nn.Linear(16, out_channels**2))
            )
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index, edge_attr):
        x = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, edge_index, edge_attr).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "edge_attr": torch.rand(edges, 16),
}

# Call the model
model(**inputs)
