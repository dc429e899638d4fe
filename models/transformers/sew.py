# labels: name::sew author::asapp task::audio_feature_extraction license::apache-2.0 test_group::transformers params::93196416
"""
SEWModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sew/modeling_sew.py
"""

import torch
from transformers import SEWConfig, SEWModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = SEWModel.from_pretrained("asapp/sew-tiny-100k", dtype=torch.float32)
else:
    model = SEWModel(SEWConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
