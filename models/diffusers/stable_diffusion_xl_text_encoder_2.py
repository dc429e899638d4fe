# labels: name::stable_diffusion_xl_text_encoder_2 author::laion task::feature_extraction license::openrail++ test_group::diffusers params::694659840
"""
Second text encoder of Stable Diffusion XL, which is that of OpenCLIP ViT-bigG.

https://huggingface.co/stabilityai/stable-diffusion-xl-base-1.0
"""

import torch
from transformers import CLIPTextConfig, CLIPTextModelWithProjection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = CLIPTextModelWithProjection.from_pretrained(
        "stabilityai/stable-diffusion-xl-base-1.0", subfolder="text_encoder_2"
    )
else:
    model = CLIPTextModelWithProjection(
        CLIPTextConfig(
            vocab_size=49408,
            hidden_size=1280,
            intermediate_size=5120,
            num_hidden_layers=32,
            num_attention_heads=20,
            hidden_act="gelu",
            projection_dim=1280,
        )
    )
model.eval()
inputs = {
    "input_ids": torch.randint(0, 49408, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, return_dict=False)
