# labels: name::codet5_small author::salesforce task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::60492288
"""
codet5-small of Salesforce, to turn text into other text.

https://huggingface.co/Salesforce/codet5-small
"""

import torch
from transformers import T5Config, T5ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = T5Config(vocab_size=32100)
if pretrained:
    model = T5ForConditionalGeneration.from_pretrained(
        "Salesforce/codet5-small", dtype=torch.float32
    )
else:
    model = T5ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
