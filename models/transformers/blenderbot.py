# labels: name::blenderbot author::meta task::text2text_generation license::apache-2.0 test_group::transformers params::2696268800
"""
BlenderbotForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/blenderbot/modeling_blenderbot.py
"""

import torch
from transformers import AutoModelForSeq2SeqLM, BlenderbotConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForSeq2SeqLM.from_pretrained("facebook/blenderbot-3B", dtype=torch.bfloat16)
else:
    model = AutoModelForSeq2SeqLM.from_config(BlenderbotConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
