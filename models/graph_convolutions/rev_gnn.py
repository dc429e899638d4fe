# labels: name::rev_gnn author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::410887
"""
GroupAddRev of torch_geometric, on a graph of the size of Cora.

Graph Neural Networks with 1000 Layers:
https://arxiv.org/abs/2106.07476
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/rev_gnn.py
"""

import torch
from torch_geometric.nn import GroupAddRev, SAGEConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], out_channels=160, num_layers=7
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Reversible layers of graph convolutions in two groups, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.layers = torch.nn.ModuleList()
        for _ in range(num_layers):
            conv = SAGEConv(out_channels // 2, out_channels // 2)
            self.layers.append(GroupAddRev(conv, num_groups=2))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x)
        for layer in self.layers:
            x = layer(x, edge_index)
        return self.head(x.relu())


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
