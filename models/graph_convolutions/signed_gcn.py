# labels: name::signed_gcn author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::190083
"""
SignedGCN of torch_geometric, on a graph of the size of Cora with positive and negative edges.

Signed Graph Convolutional Network:
https://arxiv.org/abs/1808.06354
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/signed_gcn.py
"""

import torch
from torch_geometric.nn import SignedGCN

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], out_channels=64, num_layers=2
)

# What the graph counts
nodes, edges = 2708, 10556

# The model and its inputs
model = SignedGCN(in_channels, out_channels, num_layers)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "pos_edge_index": torch.randint(0, nodes, (2, edges)),
    "neg_edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
