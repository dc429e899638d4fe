# labels: name::clip_vit_large_patch14_336 author::openai task::zero_shot_image_classification license::mit test_group::popular_on_huggingface params::427944193
"""
clip-vit-large-patch14-336 of openai, to compare pictures with text.

https://huggingface.co/openai/clip-vit-large-patch14-336
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
config = CLIPConfig(
    text_config={
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "projection_dim": 768,
    },
    vision_config={
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
        "patch_size": 14,
        "image_size": 336,
        "projection_dim": 768,
    },
    projection_dim=768,
)
if pretrained:
    model = CLIPModel.from_pretrained("openai/clip-vit-large-patch14-336", dtype=torch.float32)
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
