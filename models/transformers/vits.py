# labels: name::vits author::meta task::text_to_speech license::cc-by-nc-4.0 test_group::transformers params::36284592
"""
VitsModel of transformers in its default size: text in, speech out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/vits/modeling_vits.py
"""

import torch
from transformers import VitsConfig, VitsModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = VitsModel.from_pretrained(
        "facebook/mms-tts-eng", noise_scale=0.0, noise_scale_duration=0.0, dtype=torch.float32
    )
else:
    model = VitsModel(VitsConfig(noise_scale=0.0, noise_scale_duration=0.0))
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
