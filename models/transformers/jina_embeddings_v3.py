# labels: name::jina_embeddings_v3 author::jinaai task::feature_extraction license::cc-by-nc-4.0 test_group::transformers params::559364096
"""
JinaEmbeddingsV3Model of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/jina_embeddings_v3/modeling_jina_embeddings_v3.py
"""

import torch
from transformers import JinaEmbeddingsV3Config, JinaEmbeddingsV3Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = JinaEmbeddingsV3Model.from_pretrained(
        "jinaai/jina-embeddings-v3-hf", dtype=torch.float32
    )
else:
    model = JinaEmbeddingsV3Model(JinaEmbeddingsV3Config())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
