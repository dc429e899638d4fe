# labels: name::embedding_gemma2_text author::google task::feature_extraction license::apache-2.0 test_group::transformers params::271002624
"""
EmbeddingGemma2TextModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/embedding_gemma2/modeling_embedding_gemma2.py
"""

import torch
from transformers import EmbeddingGemma2TextConfig, EmbeddingGemma2TextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length = parse(["batch_size", "max_seq_length"])

# The model and its inputs
model = EmbeddingGemma2TextModel(EmbeddingGemma2TextConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
