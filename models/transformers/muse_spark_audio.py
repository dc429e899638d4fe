# labels: name::muse_spark_audio author::meta task::audio_feature_extraction license::apache-2.0 test_group::transformers params::117840384
"""
MuseSparkAudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/muse_spark/modeling_muse_spark.py
"""

import torch
from transformers import MuseSparkAudioConfig, MuseSparkAudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = MuseSparkAudioModel(MuseSparkAudioConfig())
model.eval()
config = model.config
samples = max_audio_seq_length // config.samples_per_token * config.samples_per_token
inputs = {"input_values": torch.randn(batch_size, samples)}

# Call the model
model(**inputs)
