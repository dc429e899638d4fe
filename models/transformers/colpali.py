# labels: name::colpali author::vidore task::visual_document_retrieval license::apache-2.0 test_group::transformers params::2910652800
"""
ColPaliForRetrieval of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/colpali/modeling_colpali.py
"""

import torch
from transformers import AutoModelForPreTraining, ColPaliConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForPreTraining.from_pretrained("vidore/colpali-v1.3-hf", dtype=torch.bfloat16)
else:
    model = AutoModelForPreTraining.from_config(ColPaliConfig(), dtype=torch.bfloat16)
model.eval()
vision = model.config.vlm_config.vision_config
whole = model.config.vlm_config
size = vision.image_size
places = torch.full((batch_size, (size // vision.patch_size) ** 2), whole.image_token_id)
text = torch.randint(0, whole.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs)
