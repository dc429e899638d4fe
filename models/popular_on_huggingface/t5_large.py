# labels: name::t5_large author::google-t5 task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::737668096
"""
t5-large of google-t5, to turn text into other text.

https://huggingface.co/google-t5/t5-large
"""

import torch
from transformers import T5Config, T5ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = T5Config(d_model=1024, d_ff=4096, num_layers=24, num_decoder_layers=24, num_heads=16)
if pretrained:
    model = T5ForConditionalGeneration.from_pretrained("google-t5/t5-large", dtype=torch.float32)
else:
    model = T5ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
