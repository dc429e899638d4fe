# labels: name::nllb_moe author::meta task::text2text_generation license::cc-by-nc-4.0 test_group::transformers params::6880712704
"""
NllbMoeForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nllb_moe/modeling_nllb_moe.py
"""

import torch
from transformers import AutoModelForSeq2SeqLM, NllbMoeConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForSeq2SeqLM.from_pretrained("facebook/nllb-moe-54b", dtype=torch.bfloat16)
else:
    model = AutoModelForSeq2SeqLM.from_config(NllbMoeConfig(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(2, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
