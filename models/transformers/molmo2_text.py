# labels: name::molmo2_text author::allenai task::feature_extraction license::apache-2.0 test_group::transformers params::7568929792
"""
Molmo2TextModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/molmo2/modeling_molmo2.py
"""

import torch
from transformers import AutoModel, Molmo2TextConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = AutoModel.from_config(Molmo2TextConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
