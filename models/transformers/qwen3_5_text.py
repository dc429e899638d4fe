# labels: name::qwen3_5_text author::qwen task::text_generation license::apache-2.0 test_group::transformers params::8953803264
"""
Qwen3_5ForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qwen3_5/modeling_qwen3_5.py
"""

import torch
from transformers import AutoModelForCausalLM, Qwen3_5TextConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = AutoModelForCausalLM.from_config(Qwen3_5TextConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
