# labels: name::oneformer author::shi-labs task::universal_segmentation license::apache-2.0 test_group::transformers params::50699902
"""
OneFormerForUniversalSegmentation of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/oneformer/modeling_oneformer.py
"""

import torch
from transformers import OneFormerConfig, OneFormerForUniversalSegmentation

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, height, width, pretrained = parse(
    ["batch_size", "height", "width", "pretrained"], height=512, width=512
)

# The model and its inputs
if pretrained:
    model = OneFormerForUniversalSegmentation.from_pretrained(
        "shi-labs/oneformer_ade20k_swin_tiny", dtype=torch.float32
    )
else:
    model = OneFormerForUniversalSegmentation(OneFormerConfig())
model.eval()
config = model.config
vocabulary, length = config.text_encoder_vocab_size, config.task_seq_len
inputs = {
    "pixel_values": torch.rand(batch_size, 3, height, width),
    "task_inputs": torch.randint(0, vocabulary, (batch_size, length)),
}

# Call the model
model(**inputs)
