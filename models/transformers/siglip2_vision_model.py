# labels: name::siglip2_vision_model author::google task::image_feature_extraction license::apache-2.0 test_group::transformers params::92930304
"""
Siglip2VisionModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/siglip2/modeling_siglip2.py
"""

import torch
from transformers import Siglip2VisionConfig, Siglip2VisionModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=256, width=256
)

# The model and its inputs
if pretrained:
    model = Siglip2VisionModel.from_pretrained(
        "google/siglip2-base-patch16-naflex", dtype=torch.float32
    )
else:
    model = Siglip2VisionModel(Siglip2VisionConfig())
model.eval()
config = model.config
rows, columns = height // config.patch_size, width // config.patch_size
patch = config.num_channels * config.patch_size**2
inputs = {
    "pixel_values": torch.randn(batch_size, rows * columns, patch),
    "pixel_attention_mask": torch.ones(batch_size, rows * columns, dtype=torch.long),
    "spatial_shapes": torch.tensor([[rows, columns]] * batch_size),
}

# Call the model
model(**inputs)
