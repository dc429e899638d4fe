# labels: name::whisper_large_v3 author::openai task::automatic_speech_recognition license::apache-2.0 test_group::popular_on_huggingface params::1543490560
"""
whisper-large-v3 of openai, to write down speech.

https://huggingface.co/openai/whisper-large-v3
"""

import torch
from transformers import AutoModelForSpeechSeq2Seq, WhisperConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = WhisperConfig(
    d_model=1280,
    encoder_layers=32,
    decoder_layers=32,
    encoder_attention_heads=20,
    decoder_attention_heads=20,
    encoder_ffn_dim=5120,
    decoder_ffn_dim=5120,
    num_mel_bins=128,
    vocab_size=51866,
)
if pretrained:
    model = AutoModelForSpeechSeq2Seq.from_pretrained(
        "openai/whisper-large-v3", dtype=torch.bfloat16
    )
else:
    model = AutoModelForSpeechSeq2Seq.from_config(config, dtype=torch.bfloat16)
model.eval()
frames = 2 * config.max_source_positions
inputs = {
    "input_features": torch.randn(batch_size, config.num_mel_bins, frames, dtype=torch.bfloat16),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
