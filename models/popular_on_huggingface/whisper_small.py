# labels: name::whisper_small author::openai task::automatic_speech_recognition license::apache-2.0 test_group::popular_on_huggingface params::241734912
"""
whisper-small of openai, to write down speech.

https://huggingface.co/openai/whisper-small
"""

import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = WhisperConfig(
    d_model=768,
    encoder_layers=12,
    decoder_layers=12,
    encoder_attention_heads=12,
    decoder_attention_heads=12,
    encoder_ffn_dim=3072,
    decoder_ffn_dim=3072,
)
if pretrained:
    model = WhisperForConditionalGeneration.from_pretrained(
        "openai/whisper-small", dtype=torch.float32
    )
else:
    model = WhisperForConditionalGeneration(config)
model.eval()
frames = 2 * config.max_source_positions
inputs = {
    "input_features": torch.randn(batch_size, config.num_mel_bins, frames),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
