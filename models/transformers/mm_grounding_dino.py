# labels: name::mm_grounding_dino author::openmmlab-community task::zero_shot_object_detection license::apache-2.0 test_group::transformers params::172250628
"""
MMGroundingDinoForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/mm_grounding_dino/modeling_mm_grounding_dino.py
"""

import torch
from transformers import MMGroundingDinoConfig, MMGroundingDinoForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = MMGroundingDinoForObjectDetection.from_pretrained(
        "openmmlab-community/mm_grounding_dino_tiny_o365v1_goldg_v3det", dtype=torch.float32
    )
else:
    model = MMGroundingDinoForObjectDetection(MMGroundingDinoConfig())
model.eval()
language = model.config.text_config
start = torch.full((batch_size, 1), 101)
end = torch.tensor([1012, 102]).repeat(batch_size, 1)
words = torch.randint(1996, language.vocab_size, (batch_size, max_seq_length - 3))
input_ids = torch.cat([start, words, end], dim=1)
inputs = {
    "pixel_values": torch.rand(batch_size, 3, height, width),
    "input_ids": input_ids,
    "token_type_ids": torch.zeros_like(input_ids),
    "attention_mask": torch.ones_like(input_ids),
}

# Call the model
model(**inputs)
