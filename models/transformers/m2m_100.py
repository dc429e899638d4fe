# labels: name::m2m_100 author::meta task::text2text_generation license::mit test_group::transformers params::483905536
"""
M2M100ForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/m2m_100/modeling_m2m_100.py
"""

import torch
from transformers import M2M100Config, M2M100ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = M2M100ForConditionalGeneration.from_pretrained(
        "facebook/m2m100_418M", dtype=torch.float32
    )
else:
    model = M2M100ForConditionalGeneration(M2M100Config())
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
