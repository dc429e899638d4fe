# labels: name::timesformer_base_finetuned_k600 author::facebook task::video_classification license::cc-by-nc-4.0 test_group::popular_on_huggingface params::121720152
"""
timesformer-base-finetuned-k600 of facebook, to classify video.

https://huggingface.co/facebook/timesformer-base-finetuned-k600
"""

import torch
from transformers import TimesformerConfig, TimesformerForVideoClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = TimesformerConfig(num_labels=600)
if pretrained:
    model = TimesformerForVideoClassification.from_pretrained(
        "facebook/timesformer-base-finetuned-k600", dtype=torch.float32
    )
else:
    model = TimesformerForVideoClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
