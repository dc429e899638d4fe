# labels: name::clip_text_model author::openai task::feature_extraction license::mit test_group::transformers params::63165952
"""
CLIPTextModel of transformers in its default size: text in, features out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/clip/modeling_clip.py
"""

import torch
from transformers import CLIPTextConfig, CLIPTextModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=77
)

# The model and its inputs
if pretrained:
    model = CLIPTextModel.from_pretrained("openai/clip-vit-base-patch32", dtype=torch.float32)
else:
    model = CLIPTextModel(CLIPTextConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
