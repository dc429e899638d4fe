# labels: name::informer author::huggingface task::time_series_forecasting license::apache-2.0 test_group::transformers params::138048
"""
InformerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/informer/modeling_informer.py
"""

import torch
from transformers import InformerConfig, InformerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = InformerModel.from_pretrained(
        "huggingface/informer-tourism-monthly", dtype=torch.float32
    )
else:
    settings = InformerConfig(prediction_length=24, num_time_features=1)
    model = InformerModel(settings)
model.eval()
config = model.config
past = config.context_length + max(config.lags_sequence)
future = config.prediction_length
inputs = {
    "past_values": torch.randn(batch_size, past),
    "past_time_features": torch.randn(batch_size, past, 1),
    "past_observed_mask": torch.ones(batch_size, past),
    "future_values": torch.randn(batch_size, future),
    "future_time_features": torch.randn(batch_size, future, 1),
}

# Call the model
model(**inputs, use_cache=False)
