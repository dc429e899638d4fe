# labels: name::fa_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::23127
"""
FAConv of torch_geometric, on a graph of the size of Cora.

Beyond Low-Frequency Information in Graph Convolutional Networks:
https://arxiv.org/abs/2101.00797
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/fa_conv.py
"""

import torch
from torch_geometric.nn import FAConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Convolutions that are reminded of the first features, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.convs = torch.nn.ModuleList()
        for _ in range(num_layers):
            self.convs.append(FAConv(out_channels))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = first = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, first, edge_index)
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
