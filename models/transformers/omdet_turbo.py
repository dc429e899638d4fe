# labels: name::omdet_turbo author::omlab task::zero_shot_object_detection license::apache-2.0 test_group::transformers params::115406806
"""
OmDetTurboForObjectDetection of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/omdet_turbo/modeling_omdet_turbo.py
"""

import torch
from transformers import OmDetTurboConfig, OmDetTurboForObjectDetection

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=640, width=640
)

# The model and its inputs
if pretrained:
    model = OmDetTurboForObjectDetection.from_pretrained(
        "omlab/omdet-turbo-swin-tiny-hf", dtype=torch.float32
    )
else:
    model = OmDetTurboForObjectDetection(OmDetTurboConfig())
model.eval()
language = model.config.text_config
length = 16
inputs = {
    "pixel_values": torch.rand(batch_size, 3, height, width),
    "classes_input_ids": torch.randint(0, language.vocab_size, (5 * batch_size, length)),
    "classes_attention_mask": torch.ones(5 * batch_size, length, dtype=torch.long),
    "tasks_input_ids": torch.randint(0, language.vocab_size, (batch_size, length)),
    "tasks_attention_mask": torch.ones(batch_size, length, dtype=torch.long),
    "classes_structure": torch.full((batch_size,), 5),
}

# Call the model
model(**inputs)
