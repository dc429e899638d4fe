# labels: name::pe_audio_video author::meta task::zero_shot_video_classification license::apache-2.0 test_group::transformers params::1458747854
"""
PeAudioVideoModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pe_audio_video/modeling_pe_audio_video.py
"""

import torch
from transformers import AutoModel, PeAudioVideoConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("facebook/pe-av-large", dtype=torch.bfloat16)
else:
    model = AutoModel.from_config(PeAudioVideoConfig(), dtype=torch.bfloat16)
model.eval()
language = model.config.text_config
size = 336
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "input_values": torch.randn(batch_size, 1, max_audio_seq_length, dtype=torch.bfloat16),
    "pixel_values_videos": torch.rand(batch_size, 8, 3, size, size, dtype=torch.bfloat16),
}

# Call the model
model(**inputs)
