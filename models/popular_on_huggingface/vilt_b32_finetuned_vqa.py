# labels: name::vilt_b32_finetuned_vqa author::dandelin task::visual_question_answering license::apache-2.0 test_group::popular_on_huggingface params::117588537
"""
vilt-b32-finetuned-vqa of dandelin, to answer questions about pictures.

https://huggingface.co/dandelin/vilt-b32-finetuned-vqa
"""

import torch
from transformers import ViltConfig, ViltForQuestionAnswering

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(
    ["batch_size", "max_seq_length", "pretrained"], max_seq_length=40
)

# The model and its inputs
config = ViltConfig(num_labels=3129)
if pretrained:
    model = ViltForQuestionAnswering.from_pretrained(
        "dandelin/vilt-b32-finetuned-vqa", dtype=torch.float32
    )
else:
    model = ViltForQuestionAnswering(config)
model.eval()
size = config.image_size
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "pixel_values": torch.rand(batch_size, 3, size, size),
}

# Call the model
model(**inputs)
