# labels: name::wav2vec2_conformer author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::179730304
"""
Wav2Vec2ConformerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/wav2vec2_conformer/modeling_wav2vec2_conformer.py
"""

import torch
from transformers import Wav2Vec2ConformerConfig, Wav2Vec2ConformerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Wav2Vec2ConformerModel.from_pretrained(
        "facebook/wav2vec2-conformer-rel-pos-large", dtype=torch.float32
    )
else:
    model = Wav2Vec2ConformerModel(Wav2Vec2ConformerConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
