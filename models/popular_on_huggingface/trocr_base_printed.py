# labels: name::trocr_base_printed author::microsoft task::image_to_text license::mit test_group::popular_on_huggingface params::333921792
"""
trocr-base-printed of microsoft, to put pictures into words.

https://huggingface.co/microsoft/trocr-base-printed
"""

import torch
from transformers import VisionEncoderDecoderConfig, VisionEncoderDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = VisionEncoderDecoderConfig(
    encoder={"model_type": "vit", "image_size": 384, "qkv_bias": False},
    decoder={
        "model_type": "trocr",
        "cross_attention_hidden_size": 768,
        "is_decoder": True,
        "add_cross_attention": True,
    },
)
if pretrained:
    model = VisionEncoderDecoderModel.from_pretrained(
        "microsoft/trocr-base-printed", dtype=torch.float32
    )
else:
    model = VisionEncoderDecoderModel(config)
model.eval()
size = config.encoder.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "decoder_input_ids": torch.randint(0, config.decoder.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
