# labels: name::wav2vec2_large_xlsr_53 author::facebook task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::315438720
"""
wav2vec2-large-xlsr-53 of facebook, for embeddings.

https://huggingface.co/facebook/wav2vec2-large-xlsr-53
"""

import torch
from transformers import Wav2Vec2Config, Wav2Vec2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
config = Wav2Vec2Config(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    feat_extract_norm="layer",
    do_stable_layer_norm=True,
    conv_bias=True,
)
if pretrained:
    model = Wav2Vec2Model.from_pretrained("facebook/wav2vec2-large-xlsr-53", dtype=torch.float32)
else:
    model = Wav2Vec2Model(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
