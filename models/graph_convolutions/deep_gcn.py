# labels: name::deep_gcn author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::561763
"""
DeepGCNLayer of torch_geometric, on a graph of the size of Cora.

DeepGCNs: Can GCNs Go as Deep as CNNs?:
https://arxiv.org/abs/1904.03751
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/deepgcn.py
"""

import torch
from torch_geometric.nn import DeepGCNLayer, GENConv

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
in_channels, out_channels, num_layers = parse(
    ["in_channels", "out_channels", "num_layers"], out_channels=64, num_layers=28
)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7


class Network(torch.nn.Module):
    """Many residual layers of graph convolutions, between two linear layers."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(in_channels, out_channels)
        self.layers = torch.nn.ModuleList()
        for _ in range(num_layers):
            conv = GENConv(out_channels, out_channels, learn_t=True, norm="layer")
            norm = torch.nn.LayerNorm(out_channels)
            self.layers.append(DeepGCNLayer(conv, norm, torch.nn.ReLU(), block="res+"))
        self.head = torch.nn.Linear(out_channels, classes)

    def forward(self, x, edge_index):
        x = self.encoder(x)
        for layer in self.layers:
            x = layer(x, edge_index)
        return self.head(x)


# The model and its inputs
model = Network()
model.eval()
inputs = {
    "x": torch.rand(nodes, in_channels),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
