# labels: name::tiny_starcoder_py author::bigcode task::text_generation license::bigcode-openrail-m test_group::popular_on_huggingface params::164144128
"""
tiny_starcoder_py of bigcode, to continue text.

https://huggingface.co/bigcode/tiny_starcoder_py
"""

import torch
from transformers import GPTBigCodeConfig, GPTBigCodeForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = GPTBigCodeConfig(
    n_layer=20,
    n_positions=8192,
    n_inner=3072,
    vocab_size=49152,
    bos_token_id=0,
    eos_token_id=0,
)
if pretrained:
    model = GPTBigCodeForCausalLM.from_pretrained("bigcode/tiny_starcoder_py", dtype=torch.float32)
else:
    model = GPTBigCodeForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
