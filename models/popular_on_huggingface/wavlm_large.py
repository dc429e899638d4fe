# labels: name::wavlm_large author::microsoft task::feature_extraction license::mit test_group::popular_on_huggingface params::315453120
"""
wavlm-large of microsoft, for embeddings.

https://huggingface.co/microsoft/wavlm-large
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
config = WavLMConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    feat_extract_norm="layer",
    do_stable_layer_norm=True,
)
if pretrained:
    model = WavLMModel.from_pretrained("microsoft/wavlm-large", dtype=torch.float32)
else:
    model = WavLMModel(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
