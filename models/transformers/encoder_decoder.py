# labels: name::encoder_decoder author::huggingface task::text2text_generation license::apache-2.0 test_group::transformers params::247363386
"""
EncoderDecoderModel of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/encoder_decoder/modeling_encoder_decoder.py
"""

import torch
from transformers import EncoderDecoderConfig, EncoderDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = EncoderDecoderModel(EncoderDecoderConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.encoder.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(
        0, model.config.decoder.vocab_size, (batch_size, max_seq_length)
    ),
}

# Call the model
model(**inputs, use_cache=False)
