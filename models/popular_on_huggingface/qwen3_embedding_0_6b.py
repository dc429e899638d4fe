# labels: name::qwen3_embedding_0_6b author::qwen task::feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::595776512
"""
Qwen3-Embedding-0.6B of Qwen, for embeddings.

https://huggingface.co/Qwen/Qwen3-Embedding-0.6B
"""

import torch
from transformers import Qwen3Config, Qwen3Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Qwen3Config(
    hidden_size=1024,
    intermediate_size=3072,
    num_hidden_layers=28,
    num_attention_heads=16,
    num_key_value_heads=8,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    vocab_size=151669,
    tie_word_embeddings=True,
)
if pretrained:
    model = Qwen3Model.from_pretrained("Qwen/Qwen3-Embedding-0.6B", dtype=torch.float32)
else:
    model = Qwen3Model(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
