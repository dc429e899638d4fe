# labels: name::pix2struct author::google task::image_text_to_text license::apache-2.0 test_group::transformers params::282285696
"""
Pix2StructForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pix2struct/modeling_pix2struct.py
"""

import torch
from transformers import Pix2StructConfig, Pix2StructForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = Pix2StructForConditionalGeneration.from_pretrained(
        "google/pix2struct-base", dtype=torch.float32
    )
else:
    model = Pix2StructForConditionalGeneration(Pix2StructConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
rows, columns = torch.arange(64) + 1, torch.arange(32) + 1
positions = torch.cartesian_prod(rows, columns).repeat(batch_size, 1, 1)
width = vision.patch_embed_hidden_size
patches = torch.randn(batch_size, len(rows) * len(columns), width)
inputs = {
    "flattened_patches": torch.cat([positions, patches], dim=2),
    "decoder_input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
