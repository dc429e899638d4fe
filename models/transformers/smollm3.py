# labels: name::smollm3 author::huggingface task::text_generation license::apache-2.0 test_group::transformers params::3075098624
"""
SmolLM3ForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/smollm3/modeling_smollm3.py
"""

import torch
from transformers import AutoModelForCausalLM, SmolLM3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("HuggingFaceTB/SmolLM3-3B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(SmolLM3Config(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
