# labels: name::pe_video author::meta task::zero_shot_video_classification license::apache-2.0 test_group::transformers params::897863940
"""
PeVideoModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pe_video/modeling_pe_video.py
"""

import torch
from transformers import PeVideoConfig, PeVideoModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length = parse(
    ["batch_size", "height", "width", "max_seq_length"], height=336, width=336
)

# The model and its inputs
model = PeVideoModel(PeVideoConfig())
model.eval()
language = model.config.text_config
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values_videos": torch.rand(batch_size, 8, 3, height, width),
}

# Call the model
model(**inputs)
