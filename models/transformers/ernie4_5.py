# labels: name::ernie4_5 author::baidu task::text_generation license::apache-2.0 test_group::transformers params::360748032
"""
Ernie4_5ForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/ernie4_5/modeling_ernie4_5.py
"""

import torch
from transformers import Ernie4_5Config, Ernie4_5ForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = Ernie4_5ForCausalLM.from_pretrained("baidu/ERNIE-4.5-0.3B-PT", dtype=torch.float32)
else:
    model = Ernie4_5ForCausalLM(Ernie4_5Config())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
