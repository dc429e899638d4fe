# labels: name::speech_to_text author::meta task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::29536256
"""
Speech2TextForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/speech_to_text/modeling_speech_to_text.py
"""

import torch
from transformers import Speech2TextConfig, Speech2TextForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Speech2TextForConditionalGeneration.from_pretrained(
        "facebook/s2t-small-librispeech-asr", dtype=torch.float32
    )
else:
    model = Speech2TextForConditionalGeneration(Speech2TextConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(batch_size, frames, config.input_feat_per_channel),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
