# labels: name::phi4_multimodal author::microsoft task::image_feature_extraction license::mit test_group::transformers params::5308268992
"""
Phi4MultimodalForCausalLM of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/phi4_multimodal/modeling_phi4_multimodal.py
"""

import torch
from transformers import AutoModelForMultimodalLM, Phi4MultimodalConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained(
        "microsoft/Phi-4-multimodal-instruct", dtype=torch.bfloat16
    )
else:
    model = AutoModelForMultimodalLM.from_config(Phi4MultimodalConfig(), dtype=torch.bfloat16)
model.eval()
vision = model.config.vision_config
size = vision.crop_size
side = size // vision.patch_size // 2
places = torch.full((batch_size, 2 * side * (side + 1) + 1), vision.image_token_id)
text = torch.randint(0, vision.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "image_pixel_values": torch.rand(batch_size, 2, 3, size, size, dtype=torch.bfloat16),
    "image_sizes": torch.tensor([[size, size]] * batch_size),
    "image_attention_mask": torch.ones(batch_size, 2, 2 * side, 2 * side),
}

# Call the model
model(**inputs, use_cache=False)
