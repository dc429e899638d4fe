# labels: name::sew_d author::asapp task::audio_feature_extraction license::apache-2.0 test_group::transformers params::93589632
"""
SEWDModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sew_d/modeling_sew_d.py
"""

import torch
from transformers import SEWDConfig, SEWDModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = SEWDModel.from_pretrained("asapp/sew-d-tiny-100k", dtype=torch.float32)
else:
    model = SEWDModel(SEWDConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
