# labels: name::byt5_small author::google task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::299072512
"""
byt5-small of google, to turn text into other text.

https://huggingface.co/google/byt5-small
"""

import torch
from transformers import T5Config, T5ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = T5Config(
    d_model=1472,
    d_ff=3584,
    num_layers=12,
    num_decoder_layers=4,
    num_heads=6,
    feed_forward_proj="gated-gelu",
    tie_word_embeddings=False,
    vocab_size=384,
)
if pretrained:
    model = T5ForConditionalGeneration.from_pretrained("google/byt5-small", dtype=torch.float32)
else:
    model = T5ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
