# labels: name::mxbai_embed_large_v1 author::mixedbread-ai task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::335141888
"""
mxbai-embed-large-v1 of mixedbread-ai, for embeddings.

https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
"""

import torch
from transformers import BertConfig, BertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
)
if pretrained:
    model = BertModel.from_pretrained("mixedbread-ai/mxbai-embed-large-v1", dtype=torch.float32)
else:
    model = BertModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
