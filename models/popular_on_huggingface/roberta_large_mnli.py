# labels: name::roberta_large_mnli author::facebookai task::text_classification license::mit test_group::popular_on_huggingface params::355362819
"""
roberta-large-mnli of FacebookAI, to classify text.

https://huggingface.co/FacebookAI/roberta-large-mnli
"""

import torch
from transformers import RobertaConfig, RobertaForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = RobertaConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
    max_position_embeddings=514,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
    num_labels=3,
)
if pretrained:
    model = RobertaForSequenceClassification.from_pretrained(
        "FacebookAI/roberta-large-mnli", dtype=torch.float32
    )
else:
    model = RobertaForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
