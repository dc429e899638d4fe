# labels: name::lasr_ctc author::google task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::105265408
"""
LasrForCTC of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/lasr/modeling_lasr.py
"""

import torch
from transformers import LasrCTCConfig, LasrForCTC

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = LasrForCTC.from_pretrained("google/medasr", dtype=torch.float32)
else:
    model = LasrForCTC(LasrCTCConfig())
model.eval()
audio = model.config.encoder_config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, audio.num_mel_bins)}

# Call the model
model(**inputs)
