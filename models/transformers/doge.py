# labels: name::doge author::smalldoge task::text_generation license::apache-2.0 test_group::transformers params::403055872
"""
DogeForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/doge/modeling_doge.py
"""

import torch
from transformers import DogeConfig, DogeForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = DogeForCausalLM.from_pretrained("SmallDoge/Doge-320M", dtype=torch.float32)
else:
    model = DogeForCausalLM(DogeConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
