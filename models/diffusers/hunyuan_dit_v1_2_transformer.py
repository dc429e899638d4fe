# labels: name::hunyuan_dit_v1_2_transformer author::tencent task::text_to_image license::other test_group::diffusers params::1499952032
"""
Transformer of Hunyuan-DiT 1.2 for images of 1024 x 1024.

https://huggingface.co/Tencent-Hunyuan/HunyuanDiT-v1.2-Diffusers
"""

import torch
from diffusers import HunyuanDiT2DModel
from diffusers.models.embeddings import get_2d_rotary_pos_embed

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = HunyuanDiT2DModel.from_pretrained(
        "Tencent-Hunyuan/HunyuanDiT-v1.2-Diffusers",
        subfolder="transformer",
        torch_dtype=torch.bfloat16,
    )
else:
    torch.set_default_dtype(torch.bfloat16)
    model = HunyuanDiT2DModel(
        sample_size=128,
        in_channels=4,
        patch_size=2,
        hidden_size=1408,
        num_layers=40,
        mlp_ratio=4.3637,
        use_style_cond_and_image_meta_size=False,
    )
    torch.set_default_dtype(torch.float32)
model.eval()
positions = get_2d_rotary_pos_embed(88, ((0, 0), (32, 32)), (64, 64), output_type="pt")
inputs = {
    "hidden_states": torch.randn(batch_size, 4, 128, 128, dtype=torch.bfloat16),
    "timestep": torch.full((batch_size,), 500, dtype=torch.bfloat16),
    "encoder_hidden_states": torch.randn(batch_size, 77, 1024, dtype=torch.bfloat16),
    "text_embedding_mask": torch.ones(batch_size, 77, dtype=torch.long),
    "encoder_hidden_states_t5": torch.randn(batch_size, 256, 2048, dtype=torch.bfloat16),
    "text_embedding_mask_t5": torch.ones(batch_size, 256, dtype=torch.long),
    "image_rotary_emb": positions,
}

# Call the model
model(**inputs, return_dict=False)
