# labels: name::graph_unet author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::51495
"""
GraphUNet of torch_geometric, on a graph of the size of Cora.

Graph U-Nets:
https://arxiv.org/abs/1905.05178
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/graph_unet.py
"""

import torch
from torch_geometric.nn import GraphUNet

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels = parse(["in_channels", "out_channels"], out_channels=32)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

# The model and its inputs
model = GraphUNet(in_channels, out_channels, classes, depth=3)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
