# labels: name::falcon_mamba author::tiiuae task::text_generation license::other test_group::transformers params::159308544
"""
FalconMambaForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/falcon_mamba/modeling_falcon_mamba.py
"""

import torch
from transformers import FalconMambaConfig, FalconMambaForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = FalconMambaForCausalLM.from_pretrained("tiiuae/falcon-mamba-7b", dtype=torch.float32)
else:
    model = FalconMambaForCausalLM(FalconMambaConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
