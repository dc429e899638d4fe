# labels: name::embedding_gemma2 author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::271002624
"""
EmbeddingGemma2Model of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/embedding_gemma2/modeling_embedding_gemma2.py
"""

import torch
from transformers import EmbeddingGemma2Config, EmbeddingGemma2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = EmbeddingGemma2Model.from_pretrained("google/embeddinggemma-2", dtype=torch.float32)
else:
    model = EmbeddingGemma2Model(EmbeddingGemma2Config())
model.eval()
config = model.config
size = config.image_size
inputs = {
    "input_ids": torch.randint(0, config.text_config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
