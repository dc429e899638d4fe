# labels: name::wavlm_base author::microsoft task::feature_extraction license::mit test_group::popular_on_huggingface params::94381936
"""
wavlm-base of microsoft, for embeddings.

https://huggingface.co/microsoft/wavlm-base
"""

import torch
from transformers import WavLMConfig, WavLMModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
config = WavLMConfig()
if pretrained:
    model = WavLMModel.from_pretrained("microsoft/wavlm-base", dtype=torch.float32)
else:
    model = WavLMModel(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
