# labels: name::light_gcn author::torch_geometric task::link_prediction license::mit test_group::graph_convolutions params::173312
"""
LightGCN of torch_geometric, on a graph of the size of Cora.

LightGCN: Simplifying and Powering Graph Convolution Network for Recommendation:
https://arxiv.org/abs/2002.02126
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/lightgcn.py
"""

import torch
from torch_geometric.nn import LightGCN

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
out_channels, num_layers = parse(["out_channels", "num_layers"], out_channels=64, num_layers=3)

# What the graph counts
nodes, edges = 2708, 10556

# The model and its inputs
model = LightGCN(nodes, embedding_dim=out_channels, num_layers=num_layers)
model.eval()
inputs = {
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
