# labels: name::point_gnn_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::26173
"""
PointGNNConv of torch_geometric, on a cloud of 2708 points.

Point-GNN: Graph Neural Network for 3D Object Detection in a Point Cloud:
https://arxiv.org/abs/2003.01251
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/point_gnn_conv.py
"""

import torch
from torch_geometric.nn import MLP, PointGNNConv

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
                PointGNNConv(
                    mlp_h=MLP([out_channels, out_channels, 3]),
                    mlp_f=MLP([out_channels + 3, out_channels, out_channels]),
                    mlp_g=MLP([out_channels, out_channels, out_channels]),
                )
            )
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, pos, edge_index):
        x = self.encoder(x).relu()
        for conv in self.convs:
            x = conv(x, pos, edge_index).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "pos": torch.rand(nodes, 3),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
