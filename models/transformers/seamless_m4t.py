# labels: name::seamless_m4t author::meta task::automatic_speech_recognition license::cc-by-nc-4.0 test_group::transformers params::1526945088
"""
SeamlessM4TForSpeechToText of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/seamless_m4t/modeling_seamless_m4t.py
"""

import torch
from transformers import AutoModelForSpeechSeq2Seq, SeamlessM4TConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForSpeechSeq2Seq.from_pretrained(
        "facebook/hf-seamless-m4t-medium", dtype=torch.bfloat16
    )
else:
    model = AutoModelForSpeechSeq2Seq.from_config(SeamlessM4TConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(
        batch_size, frames, config.feature_projection_input_dim, dtype=torch.bfloat16
    ),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
