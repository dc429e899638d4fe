# labels: name::hubert_large_ls960_ft author::facebook task::automatic_speech_recognition license::apache-2.0 test_group::popular_on_huggingface params::315471520
"""
hubert-large-ls960-ft of facebook, to write down speech.

https://huggingface.co/facebook/hubert-large-ls960-ft
"""

import torch
from transformers import HubertConfig, HubertForCTC

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
config = HubertConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    feat_extract_norm="layer",
    do_stable_layer_norm=True,
    conv_bias=True,
)
if pretrained:
    model = HubertForCTC.from_pretrained("facebook/hubert-large-ls960-ft", dtype=torch.float32)
else:
    model = HubertForCTC(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
