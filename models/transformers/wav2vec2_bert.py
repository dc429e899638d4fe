# labels: name::wav2vec2_bert author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::580493120
"""
Wav2Vec2BertModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/wav2vec2_bert/modeling_wav2vec2_bert.py
"""

import torch
from transformers import Wav2Vec2BertConfig, Wav2Vec2BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Wav2Vec2BertModel.from_pretrained("facebook/w2v-bert-2.0", dtype=torch.float32)
else:
    model = Wav2Vec2BertModel(Wav2Vec2BertConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, config.feature_projection_input_dim)}

# Call the model
model(**inputs)
