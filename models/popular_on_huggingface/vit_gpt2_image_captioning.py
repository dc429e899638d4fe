# labels: name::vit_gpt2_image_captioning author::nlpconnect task::image_to_text license::apache-2.0 test_group::popular_on_huggingface params::239195904
"""
vit-gpt2-image-captioning of nlpconnect, to put pictures into words.

https://huggingface.co/nlpconnect/vit-gpt2-image-captioning
"""

import torch
from transformers import VisionEncoderDecoderConfig, VisionEncoderDecoderModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = VisionEncoderDecoderConfig(
    encoder={"model_type": "vit"},
    decoder={"model_type": "gpt2", "is_decoder": True, "add_cross_attention": True},
)
if pretrained:
    model = VisionEncoderDecoderModel.from_pretrained(
        "nlpconnect/vit-gpt2-image-captioning", dtype=torch.float32
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
