# labels: name::clap author::laion task::zero_shot_audio_classification license::apache-2.0 test_group::transformers params::153492890
"""
ClapModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/clap/modeling_clap.py
"""

import torch
from transformers import ClapConfig, ClapModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ClapModel.from_pretrained("laion/clap-htsat-fused", dtype=torch.float32)
else:
    model = ClapModel(ClapConfig())
model.eval()
language = model.config.text_config
audio = model.config.audio_config
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "input_features": torch.randn(batch_size, 1, 1001, audio.num_mel_bins),
}

# Call the model
model(**inputs)
