# labels: name::kandinsky_2_2_prior author::ai-forever task::text_to_image license::apache-2.0 test_group::diffusers params::1026225920
"""
Prior of Kandinsky 2.2.

https://huggingface.co/kandinsky-community/kandinsky-2-2-prior
"""

import torch
from diffusers import PriorTransformer

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = PriorTransformer.from_pretrained(
        "kandinsky-community/kandinsky-2-2-prior", subfolder="prior", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = PriorTransformer(embedding_dim=1280)
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(batch_size, 1280, dtype=torch.bfloat16),
    "timestep": torch.tensor([500]),
    "proj_embedding": torch.randn(batch_size, 1280, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1280, dtype=torch.bfloat16),
    "attention_mask": torch.ones(batch_size, 77, dtype=torch.bool),
}

# Call the model
model(**inputs, return_dict=False)
