# labels: name::audio_spectrogram_transformer author::mit task::audio_feature_extraction license::apache-2.0 test_group::transformers params::86187264
"""
ASTModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/audio_spectrogram_transformer/modeling_audio_spectrogram_transformer.py
"""

import torch
from transformers import ASTConfig, ASTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = ASTModel.from_pretrained("MIT/ast-finetuned-audioset-10-10-0.4593", dtype=torch.float32)
else:
    model = ASTModel(ASTConfig())
model.eval()
config = model.config
inputs = {"input_values": torch.randn(batch_size, config.max_length, config.num_mel_bins)}

# Call the model
model(**inputs)
