# labels: name::clvp author::susnato task::text_to_speech license::apache-2.0 test_group::transformers params::665112067
"""
ClvpModelForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/clvp/modeling_clvp.py
"""

import torch
from transformers import ClvpConfig, ClvpModelForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ClvpModelForConditionalGeneration.from_pretrained(
        "susnato/clvp_dev", dtype=torch.float32
    )
else:
    settings = ClvpConfig(speech_config={"vocab_size": 8194})
    model = ClvpModelForConditionalGeneration(settings)
model.eval()
language = model.config.text_config
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "input_features": torch.randn(batch_size, 80, 517),
}

# Call the model
model(**inputs)
