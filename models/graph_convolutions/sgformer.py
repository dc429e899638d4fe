# labels: name::sgformer author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::221959
"""
SGFormer of torch_geometric, on a graph of the size of Cora.

SGFormer: Simplifying and Empowering Transformers for Large-Graph Representations:
https://arxiv.org/abs/2306.10759
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/sgformer.py
"""

import torch
from torch_geometric.nn import SGFormer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels = parse(["in_channels", "out_channels"], out_channels=64)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

# The model and its inputs
model = SGFormer(in_channels, out_channels, classes)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "batch": torch.zeros(nodes, dtype=torch.long),
}

# Call the model
model(**inputs)
