# labels: name::whisper_large_v3_turbo author::openai task::automatic_speech_recognition license::mit test_group::popular_on_huggingface params::808878080
"""
whisper-large-v3-turbo of openai, to write down speech.

https://huggingface.co/openai/whisper-large-v3-turbo
"""

import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = WhisperConfig(
    d_model=1280,
    encoder_layers=32,
    encoder_attention_heads=20,
    decoder_attention_heads=20,
    encoder_ffn_dim=5120,
    decoder_ffn_dim=5120,
    num_mel_bins=128,
    vocab_size=51866,
)
if pretrained:
    model = WhisperForConditionalGeneration.from_pretrained(
        "openai/whisper-large-v3-turbo", dtype=torch.float32
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
