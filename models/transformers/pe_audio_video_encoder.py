# labels: name::pe_audio_video_encoder author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::1123063746
"""
PeAudioVideoEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pe_audio_video/modeling_pe_audio_video.py
"""

import torch
from transformers import AutoModel, PeAudioVideoEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = AutoModel.from_config(PeAudioVideoEncoderConfig(), dtype=torch.bfloat16)
model.eval()
size = 336
inputs = {
    "input_values": torch.randn(batch_size, 1, max_audio_seq_length, dtype=torch.bfloat16),
    "pixel_values_videos": torch.rand(batch_size, 8, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs)
