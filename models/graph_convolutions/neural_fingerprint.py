# labels: name::neural_fingerprint author::torch_geometric task::molecular_property_prediction license::mit test_group::graph_convolutions params::459136
"""
NeuralFingerprint of torch_geometric, on molecules of 18 atoms.

Convolutional Networks on Graphs for Learning Molecular Fingerprints:
https://arxiv.org/abs/1509.09292
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/neural_fingerprint.py
"""

import torch
from torch_geometric.nn import NeuralFingerprint

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, out_channels, num_layers = parse(
    ["batch_size", "out_channels", "num_layers"], out_channels=64, num_layers=4
)

# What the graph counts
atoms = 18

# Each atom has the ones before and after it as neighbours, in a ring
one = torch.arange(atoms * batch_size).view(batch_size, atoms)
next_one = one.roll(-1, dims=1)
edge_index = torch.stack([torch.cat([one, next_one]), torch.cat([next_one, one])]).view(2, -1)

# The model and its inputs
model = NeuralFingerprint(39, out_channels, 512, num_layers)
model.eval()
inputs = {
    "x": torch.rand(atoms * batch_size, 39),
    "edge_index": edge_index,
    "batch": torch.arange(batch_size).repeat_interleave(atoms),
}

# Call the model
model(**inputs)
