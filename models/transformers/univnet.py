# labels: name::univnet author::dg845 task::vocoder license::apache-2.0 test_group::transformers params::14789153
"""
UnivNetModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/univnet/modeling_univnet.py
"""

import torch
from transformers import UnivNetConfig, UnivNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = UnivNetModel.from_pretrained("dg845/univnet-dev", dtype=torch.float32)
else:
    model = UnivNetModel(UnivNetConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(batch_size, frames, config.num_mel_bins),
    "noise_sequence": torch.randn(batch_size, frames, config.model_in_channels),
}

# Call the model
model(**inputs)
