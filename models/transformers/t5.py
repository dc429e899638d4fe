# labels: name::t5 author::google task::text2text_generation license::apache-2.0 test_group::transformers params::60506624
"""
T5ForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/t5/modeling_t5.py
"""

import torch
from transformers import T5Config, T5ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = T5ForConditionalGeneration.from_pretrained("google-t5/t5-small", dtype=torch.float32)
else:
    model = T5ForConditionalGeneration(T5Config())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
