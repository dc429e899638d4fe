# labels: name::vibevoice_acoustic_tokenizer author::microsoft task::audio_feature_extraction license::apache-2.0 test_group::transformers params::687392001
"""
VibeVoiceAcousticTokenizerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vibevoice_acoustic_tokenizer/modeling_vibevoice_acoustic_tokenizer.py
"""

import torch
from transformers import VibeVoiceAcousticTokenizerConfig, VibeVoiceAcousticTokenizerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = VibeVoiceAcousticTokenizerModel.from_pretrained(
        "microsoft/VibeVoice-1.5B", dtype=torch.float32
    )
else:
    model = VibeVoiceAcousticTokenizerModel(VibeVoiceAcousticTokenizerConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs, sample=False)
