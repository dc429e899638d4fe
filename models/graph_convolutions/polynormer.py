# labels: name::polynormer author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::486286
"""
Polynormer of torch_geometric, on a graph of the size of Cora.

Polynormer: polynomial-expressive graph transformer in linear time:
https://arxiv.org/abs/2403.01232
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/polynormer.py
"""

import torch
from torch_geometric.nn import Polynormer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels = parse(["in_channels", "out_channels"], out_channels=64)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

# The model and its inputs
model = Polynormer(in_channels, out_channels, classes)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "batch": torch.zeros(nodes, dtype=torch.long),
}

# Call the model
model(**inputs)
