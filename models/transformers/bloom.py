# labels: name::bloom author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::transformers,sample params::16156544
"""
BloomForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/bloom/modeling_bloom.py
"""

import torch
from transformers import BloomConfig, BloomForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = BloomForCausalLM.from_pretrained("bigscience/bloom-560m", dtype=torch.float32)
else:
    model = BloomForCausalLM(BloomConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
