# labels: name::stable_diffusion_v1_5_safety_checker author::CompVis task::image_classification license::creativeml-openrail-m test_group::diffusers params::303179776
"""
Image encoder of the safety checker of Stable Diffusion 1.5.

https://huggingface.co/stable-diffusion-v1-5/stable-diffusion-v1-5
"""

import torch
from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
from transformers import CLIPConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    whole = StableDiffusionSafetyChecker.from_pretrained(
        "stable-diffusion-v1-5/stable-diffusion-v1-5", subfolder="safety_checker"
    )
else:
    whole = StableDiffusionSafetyChecker(
        CLIPConfig(
            vision_config={
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "patch_size": 14,
                "projection_dim": 768,
            },
            projection_dim=768,
        )
    )
model = whole.vision_model
model.eval()
inputs = {
    "pixel_values": torch.rand(batch_size, 3, 224, 224),
}

# Call the model
model(**inputs)
