# labels: name::label_propagation author::torch_geometric task::node_classification license::mit test_group::graph_convolutions params::0
"""
LabelPropagation of torch_geometric, on a graph of the size of Cora.

Learning from Labeled and Unlabeled Data with Label Propagation:
http://mlg.eng.cam.ac.uk/zoubin/papers/CMU-CALD-02-107.pdf
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/label_prop.py
"""

import torch
from torch_geometric.nn import LabelPropagation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
num_layers, alpha = parse(["num_layers", "alpha"], num_layers=50, alpha=0.9)

# What the graph counts
nodes, edges, classes = 2708, 10556, 7

# The model and its inputs
model = LabelPropagation(num_layers, alpha)
model.eval()
inputs = {
    "y": torch.randint(0, classes, (nodes,)),
    "edge_index": torch.randint(0, nodes, (2, edges)),
}

# Call the model
model(**inputs)
