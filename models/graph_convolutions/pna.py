# labels: name::pna author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::4408810
"""
PNA of torch_geometric, on a graph of the size of Cora.

Principal Neighbourhood Aggregation for Graph Nets:
https://arxiv.org/abs/2004.05718
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/basic_gnn.py
"""

import torch
from torch_geometric.nn import PNA

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

edge_index = torch.randint(0, nodes, (2, edges))

# How many nodes have which number of neighbours
degree = torch.bincount(torch.bincount(edge_index[1], minlength=nodes))

# The model and its inputs
model = PNA(
    in_channels,
    out_channels,
    num_layers,
    classes,
    aggregators=["mean", "min", "max", "std"],
    scalers=["identity", "amplification", "attenuation"],
    deg=degree,
)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": edge_index,
}

# Call the model
model(**inputs)
