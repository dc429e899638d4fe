# labels: name::nemotron3_diarization author::nvidia task::audio_feature_extraction license::apache-2.0 test_group::transformers params::99187392
"""
Nemotron3DiarizationModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron3_diarization/modeling_nemotron3_diarization.py
"""

import torch
from transformers import Nemotron3DiarizationConfig, Nemotron3DiarizationModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Nemotron3DiarizationModel.from_pretrained(
        "nvidia/Nemotron-3-Diarization", dtype=torch.float32
    )
else:
    model = Nemotron3DiarizationModel(Nemotron3DiarizationConfig())
model.eval()
audio = model.config.audio_config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, audio.num_mel_bins)}

# Call the model
model(**inputs)
