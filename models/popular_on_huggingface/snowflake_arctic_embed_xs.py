# labels: name::snowflake_arctic_embed_xs author::snowflake task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::22713216
"""
snowflake-arctic-embed-xs of Snowflake, for embeddings.

https://huggingface.co/Snowflake/snowflake-arctic-embed-xs
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(hidden_size=384, num_hidden_layers=6, intermediate_size=1536)
if pretrained:
    model = BertModel.from_pretrained("Snowflake/snowflake-arctic-embed-xs", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
