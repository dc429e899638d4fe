# labels: name::moshi author::kyutai task::text_to_speech license::apache-2.0 test_group::transformers params::6839083008
"""
MoshiForCausalLM of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/moshi/modeling_moshi.py
"""

import torch
from transformers import AutoModelForCausalLM, MoshiConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("kmhf/hf-moshika", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(MoshiConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
