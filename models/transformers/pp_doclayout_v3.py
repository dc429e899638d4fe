# labels: name::pp_doclayout_v3 author::baidu task::object_detection license::apache-2.0 test_group::transformers params::33163366
"""
PPDocLayoutV3ForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_doclayout_v3/modeling_pp_doclayout_v3.py
"""

import torch
from transformers import PPDocLayoutV3Config, PPDocLayoutV3ForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = PPDocLayoutV3ForObjectDetection.from_pretrained(
        "PaddlePaddle/PP-DocLayoutV3_safetensors", dtype=torch.float32
    )
else:
    model = PPDocLayoutV3ForObjectDetection(PPDocLayoutV3Config())
model.eval()
inputs = {"pixel_values": torch.rand(batch_size, 3, height, width)}

# Call the model
model(**inputs)
