# labels: name::t5gemma author::google task::text2text_generation license::gemma test_group::transformers params::5596853760
"""
T5GemmaForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/t5gemma/modeling_t5gemma.py
"""

import torch
from transformers import AutoModelForSeq2SeqLM, T5GemmaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForSeq2SeqLM.from_pretrained(
        "google/t5gemma-2b-2b-prefixlm", dtype=torch.bfloat16
    )
else:
    model = AutoModelForSeq2SeqLM.from_config(T5GemmaConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
