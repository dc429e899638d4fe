# labels: name::molmo2 author::allenai task::image_text_to_text license::apache-2.0 test_group::transformers params::8704301520
"""
Molmo2ForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/molmo2/modeling_molmo2.py
"""

import torch
from transformers import AutoModelForImageTextToText, Molmo2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained("allenai/Molmo2-8B", dtype=torch.bfloat16)
else:
    settings = Molmo2Config(adapter_config={"text_hidden_size": 4096})
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
language = model.config.text_config
vision = model.config.vision_config
side = vision.image_size[0] // vision.patch_size
pooling = torch.arange(side**2).view(side // 3, 3, side // 3, 3)
pooling = pooling.transpose(1, 2).reshape(-1, 9)
places = torch.full((batch_size, side**2 // 9), config.image_token_id)
text = torch.randint(0, language.vocab_size, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, side**2, 3 * vision.patch_size**2, dtype=torch.bfloat16),
    "image_token_pooling": torch.cat([pooling + i * side**2 for i in range(batch_size)]),
    "image_grids": torch.tensor([[side // 3, side // 3, 0, 0]] * batch_size),
    "image_num_crops": torch.ones(batch_size, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
