# labels: name::heat_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::71591
"""
HEATConv of torch_geometric, on a graph of the size of Cora.

Heterogeneous Edge-Enhanced Graph Attention Network For Multi-Agent Trajectory Prediction:
https://arxiv.org/abs/2106.07161
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/heat_conv.py
"""

from itertools import pairwise

import torch
from torch_geometric.nn import HEATConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], num_layers=2
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Graph convolutions, and a linear layer for the classes."""

    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList()
        for before, after in pairwise([in_channels, *[out_channels] * num_layers]):
            self.convs.append(
                HEATConv(
                    before,
                    after,
                    num_node_types=3,
                    num_edge_types=4,
                    edge_type_emb_dim=16,
                    edge_dim=16,
                    edge_attr_emb_dim=16,
                )
            )
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index, node_type, edge_type, edge_attr):
        for conv in self.convs:
            x = conv(x, edge_index, node_type, edge_type, edge_attr).relu()
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
    "node_type": torch.randint(0, 3, (nodes,)),
    "edge_type": torch.randint(0, 4, (edges,)),
    "edge_attr": torch.rand(edges, 16),
}

# Call the model
model(**inputs)
