# labels: name::pegasus_xsum author::google task::summarization license::apache-2.0 test_group::popular_on_huggingface params::569748480
"""
pegasus-xsum of google, to summarise text.

https://huggingface.co/google/pegasus-xsum
"""

import torch
from transformers import PegasusConfig, PegasusForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = PegasusConfig(
    encoder_layers=16,
    decoder_layers=16,
    vocab_size=96103,
    activation_function="relu",
    scale_embedding=True,
    max_position_embeddings=512,
)
if pretrained:
    model = PegasusForConditionalGeneration.from_pretrained(
        "google/pegasus-xsum", dtype=torch.float32
    )
else:
    model = PegasusForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
