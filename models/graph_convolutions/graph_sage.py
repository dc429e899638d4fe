# labels: name::graph_sage author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::46103
"""
GraphSAGE of torch_geometric, on a graph of the size of Cora.

Inductive Representation Learning on Large Graphs:
https://arxiv.org/abs/1706.02216
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/basic_gnn.py
"""

import torch
from torch_geometric.nn import GraphSAGE

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

# The model and its inputs
model = GraphSAGE(in_channels, out_channels, num_layers, classes)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
