# labels: name::stable_diffusion_3_text_encoder_3 author::google task::feature_extraction license::other test_group::diffusers params::4762310656
"""
Third text encoder of Stable Diffusion 3, which is that of T5 v1.1 XXL.

https://huggingface.co/stabilityai/stable-diffusion-3-medium-diffusers
"""

import torch
from transformers import T5Config, T5EncoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=256
)

# The model and its inputs
if pretrained:
    model = T5EncoderModel.from_pretrained(
        "stabilityai/stable-diffusion-3-medium-diffusers",
        subfolder="text_encoder_3",
        dtype=torch.bfloat16,
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = T5EncoderModel(
        T5Config(
            vocab_size=32128,
            d_model=4096,
            d_kv=64,
            d_ff=10240,
            num_layers=24,
            num_heads=64,
            feed_forward_proj="gated-gelu",
        )
    )
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "input_ids": torch.randint(0, 32128, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, return_dict=False)
