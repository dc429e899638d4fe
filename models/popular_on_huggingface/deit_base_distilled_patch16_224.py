# labels: name::deit_base_distilled_patch16_224 author::facebook task::image_classification license::apache-2.0 test_group::popular_on_huggingface params::87338192
"""
deit-base-distilled-patch16-224 of facebook, to classify pictures.

https://huggingface.co/facebook/deit-base-distilled-patch16-224
"""

import torch
from transformers import DeiTConfig, DeiTForImageClassificationWithTeacher

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = DeiTConfig(num_labels=1000)
if pretrained:
    model = DeiTForImageClassificationWithTeacher.from_pretrained(
        "facebook/deit-base-distilled-patch16-224", dtype=torch.float32
    )
else:
    model = DeiTForImageClassificationWithTeacher(config)
model.eval()
size = config.image_size
inputs = {"pixel_values": torch.rand(batch_size, 3, size, size)}

# Call the model
model(**inputs)
