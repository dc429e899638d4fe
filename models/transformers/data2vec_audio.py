# labels: name::data2vec_audio author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::93164288
"""
Data2VecAudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/data2vec/modeling_data2vec_audio.py
"""

import torch
from transformers import Data2VecAudioConfig, Data2VecAudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Data2VecAudioModel.from_pretrained(
        "facebook/data2vec-audio-base-960h", dtype=torch.float32
    )
else:
    model = Data2VecAudioModel(Data2VecAudioConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
