# labels: name::max_depth test_group::b
"""
A model made of two smaller ones, which --max-depth 1 brings to light.

    turnkey examples/cli/scripts/max_depth.py --max-depth 1
"""

import torch

torch.manual_seed(0)


class TwoLayerModel(torch.nn.Module):
    """Two linear layers in a row."""

    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, hidden_size)
        self.fc2 = torch.nn.Linear(hidden_size, output_size)

    def forward(self, x):
        output = self.fc(x)
        return self.fc2(output)


input_size = 10
hidden_size = 5
output_size = 5
pytorch_model = TwoLayerModel(input_size, hidden_size, output_size)
inputs = {"x": torch.rand(input_size)}

pytorch_outputs = pytorch_model(**inputs)

print(f"pytorch_outputs: {pytorch_outputs}")
