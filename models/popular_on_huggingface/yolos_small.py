# labels: name::yolos_small author::hustvl task::object_detection license::apache-2.0 test_group::popular_on_huggingface params::30684768
"""
yolos-small of hustvl, to find objects in pictures.

https://huggingface.co/hustvl/yolos-small
"""

import torch
from transformers import YolosConfig, YolosForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=864
)

# The model and its inputs
config = YolosConfig(hidden_size=384, num_attention_heads=6, intermediate_size=1536, num_labels=91)
if pretrained:
    model = YolosForObjectDetection.from_pretrained("hustvl/yolos-small", dtype=torch.float32)
else:
    model = YolosForObjectDetection(config)
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
