# labels: name::xglm_564m_prefill author::facebook task::text_generation license::mit test_group::llm params::564463616
"""
xglm-564M reads a prompt and keeps what it needs to go on.

https://huggingface.co/facebook/xglm-564M
"""

import torch
from transformers import XGLMConfig, XGLMForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = XGLMConfig()
if pretrained:
    model = XGLMForCausalLM.from_pretrained("facebook/xglm-564M", dtype=torch.float32)
else:
    model = XGLMForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=True)
