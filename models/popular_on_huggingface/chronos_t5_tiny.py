# labels: name::chronos_t5_tiny author::amazon task::time_series_forecasting license::apache-2.0 test_group::popular_on_huggingface params::8394496
"""
chronos-t5-tiny of amazon, to forecast time series, whose values it takes as tokens.

https://huggingface.co/amazon/chronos-t5-tiny
"""

import torch
from transformers import T5Config, T5ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = T5Config(
    d_model=256,
    d_ff=1024,
    num_layers=4,
    num_decoder_layers=4,
    num_heads=4,
    vocab_size=4096,
)
if pretrained:
    model = T5ForConditionalGeneration.from_pretrained(
        "amazon/chronos-t5-tiny", dtype=torch.float32
    )
else:
    model = T5ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
