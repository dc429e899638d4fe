# labels: name::ip_adapter_image_encoder author::laion task::image_feature_extraction license::apache-2.0 test_group::diffusers params::632076800
"""
Image encoder of the IP-Adapter, which is that of OpenCLIP ViT-H.

https://huggingface.co/h94/IP-Adapter
"""

import torch
from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = CLIPVisionModelWithProjection.from_pretrained(
        "h94/IP-Adapter", subfolder="models/image_encoder"
    )
else:
    model = CLIPVisionModelWithProjection(
        CLIPVisionConfig(
            hidden_size=1280,
            intermediate_size=5120,
            num_hidden_layers=32,
            num_attention_heads=16,
            patch_size=14,
            hidden_act="gelu",
            projection_dim=1024,
        )
    )
model.eval()
inputs = {
    "pixel_values": torch.rand(batch_size, 3, 224, 224),
}

# Call the model
model(**inputs, return_dict=False)
