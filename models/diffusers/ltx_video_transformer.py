# labels: name::ltx_video_transformer author::lightricks task::text_to_video license::other test_group::diffusers params::1923385472
"""
Transformer of LTX-Video, for 161 frames.

https://huggingface.co/Lightricks/LTX-Video
"""

import torch
from diffusers import LTXVideoTransformer3DModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=704
)

# The model and its inputs
if pretrained:
    model = LTXVideoTransformer3DModel.from_pretrained(
        "Lightricks/LTX-Video", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = LTXVideoTransformer3DModel()
    torch.set_default_dtype(torch.float32)
model.eval()
inputs = {
    "hidden_states": torch.randn(
        batch_size, 21 * (height // 32) * (width // 32), 128, dtype=torch.bfloat16
    ),
    "encoder_hidden_states": torch.randn(batch_size, 128, 4096, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500),
    "encoder_attention_mask": torch.ones(batch_size, 128, dtype=torch.long),
}

# Call the model
model(**inputs, num_frames=21, height=height // 32, width=width // 32, return_dict=False)
