# labels: name::marian author::helsinki-nlp task::text2text_generation license::cc-by-4.0 test_group::transformers params::414307328
"""
MarianMTModel of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/marian/modeling_marian.py
"""

import torch
from transformers import MarianConfig, MarianMTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = MarianMTModel.from_pretrained("Helsinki-NLP/opus-mt-en-de", dtype=torch.float32)
else:
    model = MarianMTModel(MarianConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
