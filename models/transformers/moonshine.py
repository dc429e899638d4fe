# labels: name::moonshine author::usefulsensors task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::27092736
"""
MoonshineForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/moonshine/modeling_moonshine.py
"""

import torch
from transformers import MoonshineConfig, MoonshineForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = MoonshineForConditionalGeneration.from_pretrained(
        "UsefulSensors/moonshine-tiny", dtype=torch.float32
    )
else:
    model = MoonshineForConditionalGeneration(MoonshineConfig())
model.eval()
config = model.config
inputs = {
    "input_values": torch.randn(batch_size, max_audio_seq_length),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
