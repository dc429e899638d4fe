# labels: name::esm2_t6_8m_ur50d author::facebook task::fill_mask license::mit test_group::popular_on_huggingface,sample params::7512474
"""
esm2_t6_8M_UR50D of facebook, to fill in words that are left out.

https://huggingface.co/facebook/esm2_t6_8M_UR50D
"""

import torch
from transformers import EsmConfig, EsmForMaskedLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = EsmConfig(
    hidden_size=320,
    num_hidden_layers=6,
    num_attention_heads=20,
    intermediate_size=1280,
    vocab_size=33,
    pad_token_id=1,
    mask_token_id=32,
    layer_norm_eps=1e-05,
    position_embedding_type="rotary",
    token_dropout=True,
)
if pretrained:
    model = EsmForMaskedLM.from_pretrained("facebook/esm2_t6_8M_UR50D", dtype=torch.float32)
else:
    model = EsmForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
