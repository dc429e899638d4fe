# labels: name::megatron_bert author::nvidia task::feature_extraction license::apache-2.0 test_group::transformers params::333640704
"""
MegatronBertModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/megatron_bert/modeling_megatron_bert.py
"""

import torch
from transformers import MegatronBertConfig, MegatronBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = MegatronBertModel(MegatronBertConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
