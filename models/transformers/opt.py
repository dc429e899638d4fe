# labels: name::opt author::meta task::text_generation license::other test_group::transformers params::125239296
"""
OPTForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/opt/modeling_opt.py
"""

import torch
from transformers import OPTConfig, OPTForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = OPTForCausalLM.from_pretrained("facebook/opt-125m", dtype=torch.float32)
else:
    model = OPTForCausalLM(OPTConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
