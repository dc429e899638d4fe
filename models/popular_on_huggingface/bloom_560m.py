# labels: name::bloom_560m author::bigscience task::text_generation license::bigscience-bloom-rail-1.0 test_group::popular_on_huggingface params::559214592
"""
bloom-560m of bigscience, to continue text.

https://huggingface.co/bigscience/bloom-560m
"""

import torch
from transformers import BloomConfig, BloomForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BloomConfig(hidden_size=1024, n_layer=24, n_head=16)
if pretrained:
    model = BloomForCausalLM.from_pretrained("bigscience/bloom-560m", dtype=torch.float32)
else:
    model = BloomForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
