# labels: name::pe_audio author::meta task::zero_shot_audio_classification license::apache-2.0 test_group::transformers params::606184898
"""
PeAudioModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pe_audio/modeling_pe_audio.py
"""

import torch
from transformers import PeAudioConfig, PeAudioModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length"]
)

# The model and its inputs
model = PeAudioModel(PeAudioConfig())
model.eval()
language = model.config.text_config
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "input_values": torch.randn(batch_size, 1, max_audio_seq_length),
}

# Call the model
model(**inputs)
