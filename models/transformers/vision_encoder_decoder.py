# labels: name::vision_encoder_decoder author::huggingface task::image_to_text license::apache-2.0 test_group::transformers params::224270394
"""
VisionEncoderDecoderModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vision_encoder_decoder/modeling_vision_encoder_decoder.py
"""

import torch
from transformers import VisionEncoderDecoderConfig, VisionEncoderDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = VisionEncoderDecoderModel(VisionEncoderDecoderConfig())
model.eval()
language = model.config.decoder
vision = model.config.encoder
size = vision.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "decoder_input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
