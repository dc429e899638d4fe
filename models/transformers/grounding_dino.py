# labels: name::grounding_dino author::idea-research task::zero_shot_object_detection license::apache-2.0 test_group::transformers params::172250626
"""
GroundingDinoForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/grounding_dino/modeling_grounding_dino.py
"""

import torch
from transformers import GroundingDinoConfig, GroundingDinoForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, max_seq_length, pretrained = parse(
    ["batch_size", "height", "width", "max_seq_length", "pretrained"], height=800, width=800
)

# The model and its inputs
if pretrained:
    model = GroundingDinoForObjectDetection.from_pretrained(
        "IDEA-Research/grounding-dino-tiny", dtype=torch.float32
    )
else:
    model = GroundingDinoForObjectDetection(GroundingDinoConfig())
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
