# labels: name::videomae_base_finetuned_kinetics author::mcg-nju task::video_classification license::cc-by-nc-4.0 test_group::popular_on_huggingface params::86534800
"""
videomae-base-finetuned-kinetics of MCG-NJU, to classify video.

https://huggingface.co/MCG-NJU/videomae-base-finetuned-kinetics
"""

import torch
from transformers import VideoMAEConfig, VideoMAEForVideoClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = VideoMAEConfig(num_labels=400)
if pretrained:
    model = VideoMAEForVideoClassification.from_pretrained(
        "MCG-NJU/videomae-base-finetuned-kinetics", dtype=torch.float32
    )
else:
    model = VideoMAEForVideoClassification(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, config.num_frames, 3, size, size)}

# Call the model
model(**inputs)
