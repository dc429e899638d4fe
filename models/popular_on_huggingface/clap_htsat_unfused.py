# labels: name::clap_htsat_unfused author::laion task::zero_shot_audio_classification license::apache-2.0 test_group::popular_on_huggingface params::153492890
"""
clap-htsat-unfused of laion, to compare sound with text.

https://huggingface.co/laion/clap-htsat-unfused
"""

import torch
from transformers import ClapConfig, ClapModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = ClapConfig()
if pretrained:
    model = ClapModel.from_pretrained("laion/clap-htsat-unfused", dtype=torch.float32)
else:
    model = ClapModel(config)
model.eval()
frames = 1001
inputs = {
    "input_ids": torch.randint(0, config.text_config.vocab_size, (batch_size, max_seq_length)),
    "input_features": torch.randn(batch_size, 1, frames, config.audio_config.num_mel_bins),
    "is_longer": torch.zeros(batch_size, 1, dtype=torch.bool),
}

# Call the model
model(**inputs)
