# labels: name::ministral3 author::mistralai task::text_generation license::apache-2.0 test_group::transformers params::8489553920
"""
Ministral3ForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/ministral3/modeling_ministral3.py
"""

import torch
from transformers import AutoModelForCausalLM, Ministral3Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "mistralai/Ministral-3-8B-Base-2512", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(Ministral3Config(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
