# labels: name::deberta_v3_base_mnli_fever_anli author::moritzlaurer task::text_classification license::mit test_group::popular_on_huggingface params::184424451
"""
DeBERTa-v3-base-mnli-fever-anli of MoritzLaurer, to classify text.

https://huggingface.co/MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli
"""

import torch
from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DebertaV2Config(
    hidden_size=768,
    num_hidden_layers=12,
    num_attention_heads=12,
    intermediate_size=3072,
    relative_attention=True,
    pos_att_type=["p2c", "c2p"],
    position_biased_input=False,
    position_buckets=256,
    norm_rel_ebd="layer_norm",
    share_att_key=True,
    pooler_hidden_size=768,
    num_labels=3,
)
if pretrained:
    model = DebertaV2ForSequenceClassification.from_pretrained(
        "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli", dtype=torch.float32
    )
else:
    model = DebertaV2ForSequenceClassification(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
