# labels: name::trocr author::microsoft task::text_generation license::apache-2.0 test_group::transformers params::253559808
"""
TrOCRForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/trocr/modeling_trocr.py
"""

import torch
from transformers import TrOCRConfig, TrOCRForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = TrOCRForCausalLM(TrOCRConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
