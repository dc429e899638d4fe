# labels: name::stablelm author::stability-ai task::text_generation license::cc-by-sa-4.0 test_group::transformers params::2795443200
"""
StableLmForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/stablelm/modeling_stablelm.py
"""

import torch
from transformers import AutoModelForCausalLM, StableLmConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForCausalLM.from_pretrained(
        "stabilityai/stablelm-3b-4e1t", dtype=torch.bfloat16
    )
else:
    model = AutoModelForCausalLM.from_config(StableLmConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
