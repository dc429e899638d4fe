# labels: name::mesh_cnn_conv author::torch_geometric task::semantic_segmentation license::mit test_group::graph_convolutions params::1976
"""
MeshCNNConv of torch_geometric, on a mesh of 2250 edges.

MeshCNN: A Network With An Edge:
https://arxiv.org/abs/1809.05910
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/meshcnn_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import MeshCNNConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], in_channels=5, num_layers=2
)

# What the graph counts
edges, classes = 2250, 8


class Network(torch.nn.Module):
    """Graph convolutions, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for before, after in pairwise([in_channels, *[out_channels] * num_layers]):
            self.convs.append(MeshCNNConv(before, after))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.head(x)


# Every edge of a mesh has four others around it, in order: those of its two triangles
around = torch.randint(0, edges, (4 * edges,))
edge_index = torch.stack([around, torch.arange(edges).repeat_interleave(4)])

# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(edges, in_channels),
    "edge_index": edge_index,
}

# Call the model
model(**inputs)
