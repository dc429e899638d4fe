# labels: name::nanochat author::karpathy task::text_generation license::mit test_group::transformers params::256573440
"""
NanoChatForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nanochat/modeling_nanochat.py
"""

import torch
from transformers import NanoChatConfig, NanoChatForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = NanoChatForCausalLM.from_pretrained("karpathy/nanochat-d32", dtype=torch.float32)
else:
    model = NanoChatForCausalLM(NanoChatConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
