# labels: name::nemotron3_5_transcribe_word_timestamp author::nvidia task::audio_feature_extraction license::apache-2.0 test_group::transformers params::19684480
"""
Nemotron3_5TranscribeWordTimestampModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron3_5_transcribe/modeling_nemotron3_5_transcribe.py
"""

import torch
from transformers import (
    Nemotron3_5TranscribeWordTimestampConfig,
    Nemotron3_5TranscribeWordTimestampModel,
)

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = Nemotron3_5TranscribeWordTimestampModel(Nemotron3_5TranscribeWordTimestampConfig())
model.eval()
config = model.config
inputs = {"inputs_embeds": torch.randn(batch_size, max_seq_length, config.hidden_size)}

# Call the model
model(**inputs)
