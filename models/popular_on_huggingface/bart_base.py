# labels: name::bart_base author::facebook task::summarization license::apache-2.0 test_group::popular_on_huggingface params::139420416
"""
bart-base of facebook, to summarise text.

https://huggingface.co/facebook/bart-base
"""

import torch
from transformers import BartConfig, BartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BartConfig(
    d_model=768,
    encoder_layers=6,
    decoder_layers=6,
    encoder_attention_heads=12,
    decoder_attention_heads=12,
    encoder_ffn_dim=3072,
    decoder_ffn_dim=3072,
)
if pretrained:
    model = BartForConditionalGeneration.from_pretrained("facebook/bart-base", dtype=torch.float32)
else:
    model = BartForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
