# labels: name::fnet author::google task::feature_extraction license::apache-2.0 test_group::transformers params::82861056
"""
FNetModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/fnet/modeling_fnet.py
"""

import torch
from transformers import FNetConfig, FNetModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = FNetModel.from_pretrained("google/fnet-base", dtype=torch.float32)
else:
    model = FNetModel(FNetConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs)
