# labels: name::whisper_base author::openai task::automatic_speech_recognition license::apache-2.0 test_group::popular_on_huggingface params::72593920
"""
whisper-base of openai, to write down speech.

https://huggingface.co/openai/whisper-base
"""

import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = WhisperConfig(
    d_model=512,
    encoder_layers=6,
    decoder_layers=6,
    encoder_attention_heads=8,
    decoder_attention_heads=8,
    encoder_ffn_dim=2048,
    decoder_ffn_dim=2048,
)
if pretrained:
    model = WhisperForConditionalGeneration.from_pretrained(
        "openai/whisper-base", dtype=torch.float32
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
