# labels: name::flan_t5_xl author::google task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::2783959040
"""
flan-t5-xl of google, to turn text into other text.

https://huggingface.co/google/flan-t5-xl
"""

import torch
from transformers import AutoModelForSeq2SeqLM, T5Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = T5Config(
    d_model=2048,
    d_ff=5120,
    num_layers=24,
    num_decoder_layers=24,
    num_heads=32,
    feed_forward_proj="gated-gelu",
    tie_word_embeddings=False,
)
if pretrained:
    model = AutoModelForSeq2SeqLM.from_pretrained("google/flan-t5-xl", dtype=torch.bfloat16)
else:
    model = AutoModelForSeq2SeqLM.from_config(config, dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
