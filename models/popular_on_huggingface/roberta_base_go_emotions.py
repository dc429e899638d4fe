# labels: name::roberta_base_go_emotions author::samlowe task::text_classification license::mit test_group::popular_on_huggingface params::124667164
"""
roberta-base-go_emotions of SamLowe, to classify text.

https://huggingface.co/SamLowe/roberta-base-go_emotions
"""

import torch
from transformers import RobertaConfig, RobertaForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = RobertaConfig(
    max_position_embeddings=514,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
    num_labels=28,
)
if pretrained:
    model = RobertaForSequenceClassification.from_pretrained(
        "SamLowe/roberta-base-go_emotions", dtype=torch.float32
    )
else:
    model = RobertaForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
