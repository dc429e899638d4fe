# labels: name::xlstm_model author::nx-ai task::text_generation license::other test_group::transformers params::6865424896
"""
xLSTMForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/xlstm/modeling_xlstm.py
"""

import torch
from transformers import xLSTMConfig, xLSTMForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = xLSTMForCausalLM.from_pretrained("NX-AI/xLSTM-7b", dtype=torch.float32)
else:
    model = xLSTMForCausalLM(xLSTMConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
