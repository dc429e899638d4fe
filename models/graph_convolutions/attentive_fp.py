# labels: name::attentive_fp author::torch_geometric task::molecular_property_prediction license::mit test_group::graph_convolutions params::895601
"""
AttentiveFP of torch_geometric, on molecules of 18 atoms.

Pushing the Boundaries of Molecular Representation for Drug Discovery with the Graph Attention
Mechanism:
https://pubs.acs.org/doi/10.1021/acs.jmedchem.9b00959
https://github.com/pyg-team/pytorch_geometric/blob/2.8.1/torch_geometric/nn/models/attentive_fp.py
"""

import torch
from torch_geometric.nn import AttentiveFP

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, out_channels, num_layers = parse(
    ["batch_size", "out_channels", "num_layers"], out_channels=200, num_layers=2
)

# What the graph counts
atoms = 18

# Each atom has the ones before and after it as neighbours, in a ring
one = torch.arange(atoms * batch_size).view(batch_size, atoms)
next_one = one.roll(-1, dims=1)
edge_index = torch.stack([torch.cat([one, next_one]), torch.cat([next_one, one])]).view(2, -1)

# The model and its inputs
model = AttentiveFP(
    39,
    out_channels,
    1,
    edge_dim=10,
    num_layers=num_layers,
    num_timesteps=2,
)
model.eval()
inputs = {
    "x": torch.rand(atoms * batch_size, 39),
    "edge_index": edge_index,
    "edge_attr": torch.rand(2 * atoms * batch_size, 10),
    "batch": torch.arange(batch_size).repeat_interleave(atoms),
}

# Call the model
model(**inputs)
