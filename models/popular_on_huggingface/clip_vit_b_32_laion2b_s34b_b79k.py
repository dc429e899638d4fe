# labels: name::clip_vit_b_32_laion2b_s34b_b79k author::laion task::zero_shot_image_classification license::mit test_group::popular_on_huggingface params::151277313
"""
CLIP-ViT-B-32-laion2B-s34B-b79K of laion, to compare pictures with text.

https://huggingface.co/laion/CLIP-ViT-B-32-laion2B-s34B-b79K
"""

import torch
from transformers import CLIPConfig, CLIPModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
config = CLIPConfig(text_config={"hidden_act": "gelu"}, vision_config={"hidden_act": "gelu"})
if pretrained:
    model = CLIPModel.from_pretrained("laion/CLIP-ViT-B-32-laion2B-s34B-b79K", dtype=torch.float32)
else:
    model = CLIPModel(config)
model.eval()
size = config.vision_config.image_size
inputs = {
    "input_ids": torch.randint(0, config.text_config.vocab_size, (batch_size, max_seq_length)),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
