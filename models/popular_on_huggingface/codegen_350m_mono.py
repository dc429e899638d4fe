# labels: name::codegen_350m_mono author::salesforce task::text_generation license::bsd-3-clause test_group::popular_on_huggingface params::356712448
"""
codegen-350M-mono of Salesforce, to continue text.

https://huggingface.co/Salesforce/codegen-350M-mono
"""

import torch
from transformers import CodeGenConfig, CodeGenForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = CodeGenConfig(n_embd=1024, n_layer=20, rotary_dim=32, vocab_size=51200)
if pretrained:
    model = CodeGenForCausalLM.from_pretrained("Salesforce/codegen-350M-mono", dtype=torch.float32)
else:
    model = CodeGenForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
