# labels: name::vit_base_patch16_224_in21k author::google task::image_feature_extraction license::apache-2.0 test_group::popular_on_huggingface params::86389248
"""
vit-base-patch16-224-in21k of google, for embeddings of pictures.

https://huggingface.co/google/vit-base-patch16-224-in21k
"""

import torch
from transformers import ViTConfig, ViTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = ViTConfig()
if pretrained:
    model = ViTModel.from_pretrained("google/vit-base-patch16-224-in21k", dtype=torch.float32)
else:
    model = ViTModel(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
