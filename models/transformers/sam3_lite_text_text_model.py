# labels: name::sam3_lite_text_text_model author::yonigozlan task::feature_extraction license::apache-2.0 test_group::transformers params::61355520
"""
Sam3LiteTextTextModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/sam3_lite_text/modeling_sam3_lite_text.py
"""

import torch
from transformers import Sam3LiteTextTextConfig, Sam3LiteTextTextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"], max_seq_length=77)

# The model and its inputs
model = Sam3LiteTextTextModel(Sam3LiteTextTextConfig())
model.eval()
config = model.config
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
