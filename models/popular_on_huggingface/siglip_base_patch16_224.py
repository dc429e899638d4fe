# labels: name::siglip_base_patch16_224 author::google task::zero_shot_image_classification license::apache-2.0 test_group::popular_on_huggingface params::203155970
"""
siglip-base-patch16-224 of google, to compare pictures with text.

https://huggingface.co/google/siglip-base-patch16-224
"""

import torch
from transformers import SiglipConfig, SiglipModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=64
)

# The model and its inputs
config = SiglipConfig()
if pretrained:
    model = SiglipModel.from_pretrained("google/siglip-base-patch16-224", dtype=torch.float32)
else:
    model = SiglipModel(config)
model.eval()
size = config.vision_config.image_size
inputs = {
    "input_ids": torch.randint(0, config.text_config.vocab_size, (batch_size, max_seq_length)),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
