# labels: name::deberta_v3_large author::microsoft task::feature_extraction license::mit test_group::popular_on_huggingface params::434012160
"""
deberta-v3-large of microsoft, for embeddings.

https://huggingface.co/microsoft/deberta-v3-large
"""

import torch
from transformers import DebertaV2Config, DebertaV2Model

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DebertaV2Config(
    hidden_size=1024,
    num_attention_heads=16,
    intermediate_size=4096,
    relative_attention=True,
    pos_att_type=["p2c", "c2p"],
    position_biased_input=False,
    position_buckets=256,
    norm_rel_ebd="layer_norm",
    share_att_key=True,
    pooler_hidden_size=1024,
)
if pretrained:
    model = DebertaV2Model.from_pretrained("microsoft/deberta-v3-large", dtype=torch.float32)
else:
    model = DebertaV2Model(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
