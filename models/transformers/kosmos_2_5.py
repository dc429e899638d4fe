# labels: name::kosmos_2_5 author::microsoft task::image_text_to_text license::mit test_group::transformers params::1374646272
"""
Kosmos2_5ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/kosmos2_5/modeling_kosmos2_5.py
"""

import torch
from transformers import AutoModelForImageTextToText, Kosmos2_5Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "microsoft/kosmos-2.5", dtype=torch.bfloat16
    )
else:
    model = AutoModelForImageTextToText.from_config(Kosmos2_5Config(), dtype=torch.bfloat16)
model.eval()
config = model.config
language = model.config.text_config
vision = model.config.vision_config
rows, columns = torch.arange(64) + 1, torch.arange(32) + 1
positions = torch.cartesian_prod(rows, columns).repeat(batch_size, 1, 1)
patch = vision.patch_embed_hidden_size
patches = torch.randn(batch_size, len(rows) * len(columns), patch, dtype=torch.bfloat16)
length = config.latent_query_num + max_seq_length
places = (torch.arange(length) < config.latent_query_num).long()
inputs = {
    "flattened_patches": torch.cat([positions, patches], dim=2),
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, length)),
    "image_embeds_position_mask": places.repeat(batch_size, 1),
}

# Call the model
model(**inputs, use_cache=False)
