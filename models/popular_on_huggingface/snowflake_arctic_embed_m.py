# labels: name::snowflake_arctic_embed_m author::snowflake task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::109482240
"""
snowflake-arctic-embed-m of Snowflake, for embeddings.

https://huggingface.co/Snowflake/snowflake-arctic-embed-m
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig()
if pretrained:
    model = BertModel.from_pretrained("Snowflake/snowflake-arctic-embed-m", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
