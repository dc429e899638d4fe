# labels: name::multiple_invocations test_group::b
"""
One model called three times, with two different input shapes: two invocations.

    turnkey examples/cli/scripts/multiple_invocations.py
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


input_size = 12
output_size = 5
pytorch_model = SmallModel(input_size, output_size)

# Batch size 1, twice
pytorch_model(x=torch.rand(1, input_size))
pytorch_model(x=torch.rand(1, input_size))

# Batch size 2, once
pytorch_outputs = pytorch_model(x=torch.rand(2, input_size))

print(f"pytorch_outputs: {pytorch_outputs}")
