# labels: name::stable_diffusion_2_1_text_encoder author::laion task::feature_extraction license::openrail++ test_group::diffusers params::340387840
"""
Text encoder of Stable Diffusion 2.1, which is that of OpenCLIP ViT-H.

https://huggingface.co/stabilityai/stable-diffusion-2-1
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
        "stabilityai/stable-diffusion-2-1", subfolder="text_encoder"
    )
else:
    model = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=49408,
            hidden_size=1024,
            intermediate_size=4096,
            num_hidden_layers=23,
            num_attention_heads=16,
            hidden_act="gelu",
            projection_dim=512,
        )
    )
model.eval()
inputs = {
    "input_ids": torch.randint(0, 49408, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, return_dict=False)
