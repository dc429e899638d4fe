# labels: name::timesformer author::meta task::video_feature_extraction license::apache-2.0 test_group::transformers params::121258752
"""
TimesformerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/timesformer/modeling_timesformer.py
"""

import torch
from transformers import TimesformerConfig, TimesformerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = TimesformerModel.from_pretrained(
        "facebook/timesformer-base-finetuned-k600", dtype=torch.float32
    )
else:
    model = TimesformerModel(TimesformerConfig())
model.eval()
config = model.config
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
