# labels: name::s2t_small_librispeech_asr author::facebook task::automatic_speech_recognition license::mit test_group::popular_on_huggingface params::29536256
"""
s2t-small-librispeech-asr of facebook, to write down speech.

https://huggingface.co/facebook/s2t-small-librispeech-asr
"""

import torch
from transformers import Speech2TextConfig, Speech2TextForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Speech2TextConfig()
if pretrained:
    model = Speech2TextForConditionalGeneration.from_pretrained(
        "facebook/s2t-small-librispeech-asr", dtype=torch.float32
    )
else:
    model = Speech2TextForConditionalGeneration(config)
model.eval()
frames = 1000
inputs = {
    "input_features": torch.randn(batch_size, frames, config.input_feat_per_channel),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
