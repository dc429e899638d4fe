# labels: name::youtu author::tencent task::text_generation license::apache-2.0 test_group::transformers params::1961560064
"""
YoutuForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/youtu/modeling_youtu.py
"""

import torch
from transformers import AutoModelForCausalLM, YoutuConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForCausalLM.from_pretrained("tencent/Youtu-LLM-2B", dtype=torch.bfloat16)
else:
    model = AutoModelForCausalLM.from_config(YoutuConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
