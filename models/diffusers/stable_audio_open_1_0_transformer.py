# labels: name::stable_audio_open_1_0_transformer author::stabilityai task::text_to_audio license::other test_group::diffusers params::1056939136
"""
Transformer of Stable Audio Open, for 47 seconds.

https://huggingface.co/stabilityai/stable-audio-open-1.0
"""

import torch
from diffusers import StableAudioDiTModel
from diffusers.models.embeddings import get_1d_rotary_pos_embed

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = StableAudioDiTModel.from_pretrained(
        "stabilityai/stable-audio-open-1.0", subfolder="transformer", torch_dtype=torch.bfloat16
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = StableAudioDiTModel()
    torch.set_default_dtype(torch.float32)
model.eval()
positions = get_1d_rotary_pos_embed(32, 1025, use_real=True, repeat_interleave_real=False)
inputs = {
    "hidden_states": torch.randn(batch_size, 64, 1024, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 0.5, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 130, 768, dtype=torch.bfloat16),
    "global_hidden_states": torch.randn(batch_size, 1, 1536, dtype=torch.bfloat16),
    "rotary_embedding": positions,
}

# Call the model
model(**inputs, return_dict=False)
