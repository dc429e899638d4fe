# labels: name::blenderbot_small_90m author::facebook task::text2text_generation license::apache-2.0 test_group::popular_on_huggingface params::87508992
"""
blenderbot_small-90M of facebook, to turn text into other text.

https://huggingface.co/facebook/blenderbot_small-90M
"""

import torch
from transformers import BlenderbotSmallConfig, BlenderbotSmallForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BlenderbotSmallConfig(vocab_size=54944, scale_embedding=True)
if pretrained:
    model = BlenderbotSmallForConditionalGeneration.from_pretrained(
        "facebook/blenderbot_small-90M", dtype=torch.float32
    )
else:
    model = BlenderbotSmallForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
