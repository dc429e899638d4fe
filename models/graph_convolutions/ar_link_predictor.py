# labels: name::ar_link_predictor author::torch_geometric task::link_prediction license::mit test_group::graph_convolutions params::23216
"""
ARLinkPredictor of torch_geometric, on a graph of the size of Cora.

Pseudo-Euclidean Attract-Repel Embeddings for Undirected Graphs:
https://arxiv.org/abs/2106.09671
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/attract_repel.py
"""

import torch
from torch_geometric.nn import ARLinkPredictor

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges = 2708, 10556

# The model and its inputs
model = ARLinkPredictor(in_channels, out_channels, num_layers=num_layers)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
