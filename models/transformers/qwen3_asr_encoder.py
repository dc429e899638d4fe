# labels: name::qwen3_asr_encoder author::qwen task::audio_feature_extraction license::apache-2.0 test_group::transformers params::314328704
"""
Qwen3ASREncoder of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qwen3_asr/modeling_qwen3_asr.py
"""

import torch
from transformers import Qwen3ASREncoder, Qwen3ASREncoderConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length = parse(["batch_size", "max_audio_seq_length"])

# The model and its inputs
model = Qwen3ASREncoder(Qwen3ASREncoderConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 16000 * 100
inputs = {
    "input_features": torch.randn(batch_size, config.num_mel_bins, frames),
    "input_features_mask": torch.ones(batch_size, frames, dtype=torch.long),
}

# Call the model
model(**inputs)
