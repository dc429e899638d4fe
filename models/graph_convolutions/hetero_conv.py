# labels: name::hetero_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::114807
"""
HeteroConv of torch_geometric, on papers and their authors.

https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/hetero_conv.py
"""

import torch
from torch_geometric.nn import GCNConv, HeteroConv, SAGEConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels = parse(["in_channels", "out_channels"])

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """A convolution for two kinds of nodes, and a linear layer for the classes of the papers."""

    def __init__(self):
        super().__init__()
        self.conv = HeteroConv(
            {
                ("paper", "cites", "paper"): GCNConv(in_channels, out_channels),
                ("author", "writes", "paper"): SAGEConv(in_channels, out_channels),
                ("paper", "written_by", "author"): SAGEConv(in_channels, out_channels),
            }
        )
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, paper, author, cites, writes, written_by):
        features = {"paper": paper, "author": author}
        links = {
            ("paper", "cites", "paper"): cites,
            ("author", "writes", "paper"): writes,
            ("paper", "written_by", "author"): written_by,
        }
        return self.head(self.conv(features, links)["paper"].relu())


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "paper": torch.rand(nodes, in_channels),
    "author": torch.rand(nodes, in_channels),
    "cites": torch.randint(0, nodes, (2, edges)),
    "writes": torch.randint(0, nodes, (2, edges)),
    "written_by": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
