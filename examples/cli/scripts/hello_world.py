# labels: name::hello_world test_group::a
"""
The smallest script there is something to find in: one model, called once.

    turnkey examples/cli/scripts/hello_world.py
"""

import torch

torch.manual_seed(0)


class SmallModel(torch.nn.Module):
    """A single linear layer."""

    def __init__(self, input_size, output_size):
        super().__init__()
        self.fc = torch.nn.Linear(input_size, output_size)

    def forward(self, x):
        return self.fc(x)


input_size = 11
output_size = 5
pytorch_model = SmallModel(input_size, output_size)
inputs = {"x": torch.rand(input_size)}

pytorch_outputs = pytorch_model(**inputs)

print(f"pytorch_outputs: {pytorch_outputs}")
