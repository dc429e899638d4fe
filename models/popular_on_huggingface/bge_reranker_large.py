# labels: name::bge_reranker_large author::baai task::text_classification license::mit test_group::popular_on_huggingface params::559891457
"""
bge-reranker-large of BAAI, to classify text.

https://huggingface.co/BAAI/bge-reranker-large
"""

import torch
from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = XLMRobertaConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    max_position_embeddings=514,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
    vocab_size=250002,
    num_labels=1,
)
if pretrained:
    model = XLMRobertaForSequenceClassification.from_pretrained(
        "BAAI/bge-reranker-large", dtype=torch.float32
    )
else:
    model = XLMRobertaForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
