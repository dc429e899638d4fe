# labels: name::wl_conv_continuous author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::23063
"""
WLConvContinuous of torch_geometric, on a graph of the size of Cora.

Wasserstein Weisfeiler-Lehman Graph Kernels:
https://arxiv.org/abs/1906.01277
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/wl_conv_continuous.py
"""

import torch
from torch_geometric.nn import WLConvContinuous

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
            self.convs.append(WLConvContinuous())
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index, edge_weight):
        x = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, edge_index, edge_weight).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "edge_weight": torch.rand(edges),
}

# Call the model
model(**inputs)
