# labels: name::gpt_bigcode author::bigcode task::text_generation license::openrail test_group::transformers params::111446784
"""
GPTBigCodeForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/gpt_bigcode/modeling_gpt_bigcode.py
"""

import torch
from transformers import GPTBigCodeConfig, GPTBigCodeForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = GPTBigCodeForCausalLM.from_pretrained(
        "bigcode/gpt_bigcode-santacoder", dtype=torch.float32
    )
else:
    model = GPTBigCodeForCausalLM(GPTBigCodeConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
