# labels: name::patchtsmixer author::ibm task::time_series_feature_extraction license::apache-2.0 test_group::transformers params::1512
"""
PatchTSMixerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/patchtsmixer/modeling_patchtsmixer.py
"""

import torch
from transformers import PatchTSMixerConfig, PatchTSMixerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = PatchTSMixerModel.from_pretrained(
        "ibm/patchtsmixer-etth1-pretrain", dtype=torch.float32
    )
else:
    model = PatchTSMixerModel(PatchTSMixerConfig())
model.eval()
config = model.config
channels = config.num_input_channels
inputs = {"past_values": torch.randn(batch_size, config.context_length, channels)}

# Call the model
model(**inputs)
