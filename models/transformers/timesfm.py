# labels: name::timesfm author::google task::time_series_forecasting license::apache-2.0 test_group::transformers params::493909920
"""
TimesFmModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/timesfm/modeling_timesfm.py
"""

import torch
from transformers import TimesFmConfig, TimesFmModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = TimesFmModel.from_pretrained("google/timesfm-2.0-500m-pytorch", dtype=torch.float32)
else:
    model = TimesFmModel(TimesFmConfig())
model.eval()
config = model.config
inputs = {
    "past_values": torch.randn(batch_size, config.context_length),
    "past_values_padding": torch.zeros(batch_size, config.context_length, dtype=torch.long),
    "freq": torch.zeros(batch_size, 1, dtype=torch.long),
}

# Call the model
model(**inputs)
