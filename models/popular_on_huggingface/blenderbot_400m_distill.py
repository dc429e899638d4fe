# labels: name::blenderbot_400m_distill author::facebook task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::364802560
"""
blenderbot-400M-distill of facebook, to turn text into other text.

https://huggingface.co/facebook/blenderbot-400M-distill
"""

import torch
from transformers import BlenderbotConfig, BlenderbotForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BlenderbotConfig(
    d_model=1280,
    decoder_layers=12,
    encoder_ffn_dim=5120,
    decoder_ffn_dim=5120,
    scale_embedding=True,
)
if pretrained:
    model = BlenderbotForConditionalGeneration.from_pretrained(
        "facebook/blenderbot-400M-distill", dtype=torch.float32
    )
else:
    model = BlenderbotForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
