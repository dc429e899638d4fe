# labels: name::kandinsky_2_2_image_encoder author::laion task::image_feature_extraction license::apache-2.0 test_group::diffusers params::1844907264
"""
Image encoder of Kandinsky 2.2, which is that of OpenCLIP ViT-bigG.

https://huggingface.co/kandinsky-community/kandinsky-2-2-prior
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
        "kandinsky-community/kandinsky-2-2-prior", subfolder="image_encoder", dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = CLIPVisionModelWithProjection(
        CLIPVisionConfig(
            hidden_size=1664,
            intermediate_size=8192,
            num_hidden_layers=48,
            num_attention_heads=16,
            patch_size=14,
            hidden_act="gelu",
            projection_dim=1280,
        )
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "pixel_values": torch.rand(batch_size, 3, 224, 224),
}

# Call the model
model(**inputs, return_dict=False)
