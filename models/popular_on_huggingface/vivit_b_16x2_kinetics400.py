# labels: name::vivit_b_16x2_kinetics400 author::google task::video_classification license::mit test_group::popular_on_huggingface params::88954000
"""
vivit-b-16x2-kinetics400 of google, to classify video.

https://huggingface.co/google/vivit-b-16x2-kinetics400
"""

import torch
from transformers import VivitConfig, VivitForVideoClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = VivitConfig(num_labels=400)
if pretrained:
    model = VivitForVideoClassification.from_pretrained(
        "google/vivit-b-16x2-kinetics400", dtype=torch.float32
    )
else:
    model = VivitForVideoClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
