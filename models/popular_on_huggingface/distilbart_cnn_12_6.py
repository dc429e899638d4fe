# labels: name::distilbart_cnn_12_6 author::sshleifer task::summarization license::apache-2.0 test_group::popular_on_huggingface params::305510400
"""
distilbart-cnn-12-6 of sshleifer, to summarise text.

https://huggingface.co/sshleifer/distilbart-cnn-12-6
"""

import torch
from transformers import BartConfig, BartForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BartConfig(vocab_size=50264, decoder_layers=6)
if pretrained:
    model = BartForConditionalGeneration.from_pretrained(
        "sshleifer/distilbart-cnn-12-6", dtype=torch.float32
    )
else:
    model = BartForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
