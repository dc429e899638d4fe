# labels: name::pp_doclayout_v2 author::baidu task::object_detection license::apache-2.0 test_group::transformers params::53508818
"""
PPDocLayoutV2ForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_doclayout_v2/modeling_pp_doclayout_v2.py
"""

import torch
from transformers import PPDocLayoutV2Config, PPDocLayoutV2ForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = PPDocLayoutV2ForObjectDetection.from_pretrained(
        "PaddlePaddle/PP-DocLayoutV2_safetensors", dtype=torch.float32
    )
else:
    model = PPDocLayoutV2ForObjectDetection(PPDocLayoutV2Config(class_thresholds=[0.5] * 25))
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
