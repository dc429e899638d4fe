# labels: name::parakeet_ctc author::nvidia task::automatic_speech_recognition license::cc-by-4.0 test_group::transformers params::608799745
"""
ParakeetForCTC of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/parakeet/modeling_parakeet.py
"""

import torch
from transformers import ParakeetCTCConfig, ParakeetForCTC

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = ParakeetForCTC.from_pretrained("nvidia/parakeet-ctc-1.1b", dtype=torch.float32)
else:
    model = ParakeetForCTC(ParakeetCTCConfig())
model.eval()
audio = model.config.encoder_config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, audio.num_mel_bins)}

# Call the model
model(**inputs)
