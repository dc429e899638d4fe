# labels: name::mt5_small author::google task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::172119424
"""
mt5-small of google, to turn text into other text.

https://huggingface.co/google/mt5-small
"""

import torch
from transformers import MT5Config, MT5ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MT5Config()
if pretrained:
    model = MT5ForConditionalGeneration.from_pretrained("google/mt5-small", dtype=torch.float32)
else:
    model = MT5ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
