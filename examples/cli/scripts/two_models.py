# labels: name::two_models test_group::b
"""
Two models in one script: both are found, built and measured.

    turnkey examples/cli/scripts/two_models.py
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


# The first model
input_size = 10
output_size = 5
pytorch_model = SmallModel(input_size, output_size)
inputs = {"x": torch.rand(input_size)}
pytorch_outputs = pytorch_model(**inputs)

# The second model: the same class in another size is another model
another_input_size = 50
another_output_size = 10
another_pytorch_model = SmallModel(another_input_size, another_output_size)
more_inputs = {"x": torch.rand(another_input_size)}
more_pytorch_outputs = another_pytorch_model(**more_inputs)

print(f"pytorch_outputs: {pytorch_outputs}")
print(f"more_pytorch_outputs: {more_pytorch_outputs}")
