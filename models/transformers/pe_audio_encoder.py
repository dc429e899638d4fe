# labels: name::pe_audio_encoder author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::282057664
"""
PeAudioEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pe_audio/modeling_pe_audio.py
"""

import torch
from transformers import PeAudioEncoder, PeAudioEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = PeAudioEncoder(PeAudioEncoderConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
