# labels: name::moss_transcribe_diarize_audio author::hf-audio task::audio_feature_extraction license::apache-2.0 test_group::transformers params::307216384
"""
MossTranscribeDiarizeAudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/moss_transcribe_diarize/modeling_moss_transcribe_diarize.py
"""

import torch
from transformers import MossTranscribeDiarizeAudioConfig, MossTranscribeDiarizeAudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = MossTranscribeDiarizeAudioModel(MossTranscribeDiarizeAudioConfig())
model.eval()
config = model.config
frames = 2 * config.max_source_positions
inputs = {"input_features": torch.randn(batch_size, config.num_mel_bins, frames)}

# Call the model
model(**inputs)
