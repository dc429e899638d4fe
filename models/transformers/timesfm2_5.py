# labels: name::timesfm2_5 author::google task::time_series_forecasting license::apache-2.0 test_group::transformers params::198521280
"""
TimesFm2_5Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/timesfm2_5/modeling_timesfm2_5.py
"""

import torch
from transformers import TimesFm2_5Config, TimesFm2_5Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = TimesFm2_5Model.from_pretrained(
        "google/timesfm-2.5-200m-transformers", dtype=torch.float32
    )
else:
    model = TimesFm2_5Model(TimesFm2_5Config())
model.eval()
inputs = {"past_values": torch.randn(batch_size, 512)}

# Call the model
model(**inputs)
