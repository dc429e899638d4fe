# labels: name::vision_text_dual_encoder author::huggingface task::image_feature_extraction license::apache-2.0 test_group::transformers params::196657921
"""
VisionTextDualEncoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vision_text_dual_encoder/modeling_vision_text_dual_encoder.py
"""

import torch
from transformers import VisionTextDualEncoderConfig, VisionTextDualEncoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = VisionTextDualEncoderModel(VisionTextDualEncoderConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
