# labels: name::stable_diffusion_xl_text_encoder author::openai task::feature_extraction license::openrail++ test_group::diffusers params::123060480
"""
First text encoder of Stable Diffusion XL, which is that of CLIP ViT-L.

https://huggingface.co/stabilityai/stable-diffusion-xl-base-1.0
"""

import torch
from transformers import CLIPTextConfig, CLIPTextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = CLIPTextModel.from_pretrained(
        "stabilityai/stable-diffusion-xl-base-1.0", subfolder="text_encoder"
    )
else:
    model = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=49408,
            hidden_size=768,
            intermediate_size=3072,
            num_hidden_layers=12,
            num_attention_heads=12,
            projection_dim=768,
        )
    )
model.eval()
inputs = {
    "input_ids": torch.randint(0, 49408, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, return_dict=False)
