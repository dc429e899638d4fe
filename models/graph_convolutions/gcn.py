# labels: name::gcn author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::23063
"""
GCN of torch_geometric, on a graph of the size of Cora.

Semi-supervised Classification with Graph Convolutional Networks:
https://arxiv.org/abs/1609.02907
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/basic_gnn.py
"""

import torch
from torch_geometric.nn import GCN

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

# The model and its inputs
model = GCN(in_channels, out_channels, num_layers, classes)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
