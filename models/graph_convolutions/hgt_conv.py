# labels: name::hgt_conv author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::139868
"""
HGTConv of torch_geometric, on papers and their authors.

Heterogeneous Graph Transformer:
https://arxiv.org/abs/2003.01332
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/conv/hgt_conv.py
"""

import torch
from torch_geometric.nn import HGTConv

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
        self.conv = HGTConv(in_channels, out_channels, metadata)
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, paper, author, cites, writes, written_by):
        features = {"paper": paper, "author": author}
        links = {
            ("paper", "cites", "paper"): cites,
            ("author", "writes", "paper"): writes,
            ("paper", "written_by", "author"): written_by,
        }
        return self.head(self.conv(features, links)["paper"].relu())


metadata = (
    ["paper", "author"],
    [("paper", "cites", "paper"), ("author", "writes", "paper"), ("paper", "written_by", "author")],
)

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
