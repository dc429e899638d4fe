# labels: name::xlm_roberta_large author::facebookai task::fill_mask license::mit test_group::popular_on_huggingface params::560142482
"""
xlm-roberta-large of FacebookAI, to fill in words that are left out.

https://huggingface.co/FacebookAI/xlm-roberta-large
"""

import torch
from transformers import XLMRobertaConfig, XLMRobertaForMaskedLM

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
)
if pretrained:
    model = XLMRobertaForMaskedLM.from_pretrained(
        "FacebookAI/xlm-roberta-large", dtype=torch.float32
    )
else:
    model = XLMRobertaForMaskedLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
