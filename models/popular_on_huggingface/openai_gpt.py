# labels: name::openai_gpt author::openai-community task::text_generation license::mit test_group::popular_on_huggingface params::116534784
"""
openai-gpt of openai-community, to continue text.

https://huggingface.co/openai-community/openai-gpt
"""

import torch
from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = OpenAIGPTConfig()
if pretrained:
    model = OpenAIGPTLMHeadModel.from_pretrained("openai-community/openai-gpt", dtype=torch.float32)
else:
    model = OpenAIGPTLMHeadModel(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
