# labels: name::csm author::sesame task::text_to_speech license::apache-2.0 test_group::transformers params::1632100161
"""
CsmForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/csm/modeling_csm.py
"""

import torch
from transformers import AutoModel, CsmConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained("sesame/csm-1b", dtype=torch.bfloat16)
else:
    model = AutoModel.from_config(CsmConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
inputs = {
    "input_ids": torch.randint(
        0, config.vocab_size, (batch_size, max_seq_length, config.num_codebooks)
    ),
}

# Call the model
model(**inputs, use_cache=False)
