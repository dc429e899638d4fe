# labels: name::bigbird_pegasus author::google task::text2text_generation license::apache-2.0 test_group::transformers params::576891904
"""
BigBirdPegasusForConditionalGeneration of transformers in its default size: text in, text out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/bigbird_pegasus/modeling_bigbird_pegasus.py
"""

import torch
from transformers import BigBirdPegasusConfig, BigBirdPegasusForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = BigBirdPegasusForConditionalGeneration.from_pretrained(
        "google/bigbird-pegasus-large-arxiv", dtype=torch.float32
    )
else:
    model = BigBirdPegasusForConditionalGeneration(BigBirdPegasusConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
