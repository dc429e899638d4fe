# labels: name::fun_asr_nano_encoder author::funaudiollm task::audio_feature_extraction license::apache-2.0 test_group::transformers params::221136992
"""
FunAsrNanoEncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/fun_asr_nano/modeling_fun_asr_nano.py
"""

import torch
from transformers import FunAsrNanoEncoder, FunAsrNanoEncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = FunAsrNanoEncoder(FunAsrNanoEncoderConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 960
inputs = {
    "input_features": torch.randn(batch_size, frames, config.input_size),
    "input_features_mask": torch.ones(batch_size, frames, dtype=torch.long),
}

# Call the model
model(**inputs)
