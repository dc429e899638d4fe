# labels: name::imagegpt author::openai task::image_generation license::apache-2.0 test_group::transformers params::76682240
"""
ImageGPTForCausalImageModeling of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/imagegpt/modeling_imagegpt.py
"""

import torch
from transformers import ImageGPTConfig, ImageGPTForCausalImageModeling

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ImageGPTForCausalImageModeling.from_pretrained(
        "openai/imagegpt-small", dtype=torch.float32
    )
else:
    model = ImageGPTForCausalImageModeling(ImageGPTConfig())
model.eval()
config = model.config
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
