# labels: name::colmodernvbert author::modernvbert task::visual_document_retrieval license::apache-2.0 test_group::transformers params::252070016
"""
ColModernVBertForRetrieval of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/colmodernvbert/modeling_colmodernvbert.py
"""

import torch
from transformers import ColModernVBertConfig, ColModernVBertForRetrieval

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ColModernVBertForRetrieval.from_pretrained(
        "ModernVBERT/colmodernvbert-merged", dtype=torch.float32
    )
else:
    settings = ColModernVBertConfig(
        vlm_config={"image_token_id": 50367, "vision_config": {"image_size": 512}}
    )
    model = ColModernVBertForRetrieval(settings)
model.eval()
vision = model.config.vlm_config.vision_config
whole = model.config.vlm_config
size = vision.image_size
side = size // vision.patch_size // whole.pixel_shuffle_factor
places = torch.full((batch_size, side**2), whole.image_token_id)
text = torch.randint(0, whole.image_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 1, 3, size, size),
}

# Call the model
model(**inputs)
