# labels: name::plbart author::ucla task::text2text_generation license::apache-2.0 test_group::transformers params::139220736
"""
PLBartForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/plbart/modeling_plbart.py
"""

import torch
from transformers import PLBartConfig, PLBartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = PLBartForConditionalGeneration.from_pretrained(
        "uclanlp/plbart-base", dtype=torch.float32
    )
else:
    model = PLBartForConditionalGeneration(PLBartConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
