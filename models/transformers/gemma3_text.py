# labels: name::gemma3_text author::google task::text_generation license::gemma test_group::transformers params::2628658432
"""
Gemma3ForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gemma3/modeling_gemma3.py
"""

import torch
from transformers import AutoModelForCausalLM, Gemma3TextConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("google/gemma-3-1b-pt", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(Gemma3TextConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
