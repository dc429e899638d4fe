# labels: name::canary author::nvidia task::automatic_speech_recognition license::cc-by-4.0 test_group::transformers params::962155520
"""
CanaryForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/canary/modeling_canary.py
"""

import torch
from transformers import CanaryConfig, CanaryForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = CanaryForConditionalGeneration.from_pretrained(
        "nvidia/canary-1b-v2", dtype=torch.float32
    )
else:
    model = CanaryForConditionalGeneration(CanaryConfig())
model.eval()
config = model.config
audio = model.config.encoder_config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(batch_size, frames, audio.num_mel_bins),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
