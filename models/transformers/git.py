# labels: name::git author::microsoft task::image_text_to_text license::mit test_group::transformers params::176619066
"""
GitForCausalLM of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/git/modeling_git.py
"""

import torch
from transformers import GitConfig, GitForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = GitForCausalLM.from_pretrained("microsoft/git-base", dtype=torch.float32)
else:
    model = GitForCausalLM(GitConfig())
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
