# labels: name::rect_l author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::574833
"""
RECT_L of torch_geometric, on a graph of the size of Cora.

Network Embedding with Completely-imbalanced Labels:
https://arxiv.org/abs/2007.03545
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/rect.py
"""

import torch
from torch_geometric.nn import RECT_L

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels = parse(["in_channels", "out_channels"], out_channels=200)

# What the graph counts
nodes, edges = 2708, 10556

# The model and its inputs
model = RECT_L(in_channels, out_channels)
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
