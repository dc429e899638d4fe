# labels: name::instructblipvideo author::salesforce task::image_text_to_text license::mit test_group::transformers params::1297466112
"""
InstructBlipVideoForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/instructblipvideo/modeling_instructblipvideo.py
"""

import torch
from transformers import AutoModelForImageTextToText, InstructBlipVideoConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForImageTextToText.from_pretrained(
        "Salesforce/instructblip-flan-t5-xl", dtype=torch.bfloat16
    )
else:
    settings = InstructBlipVideoConfig(video_token_index=50265)
    model = AutoModelForImageTextToText.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
vision = model.config.vision_config
size = vision.image_size
vocabulary = config.qformer_config.vocab_size
question = torch.randint(0, vocabulary, (batch_size, max_seq_length))
places = torch.full((batch_size, 4 * config.num_query_tokens), config.video_token_id)
text = torch.randint(0, config.video_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "pixel_values": torch.rand(batch_size, 4, 3, size, size, dtype=torch.bfloat16),
    "qformer_input_ids": question,
    "qformer_attention_mask": torch.ones_like(question),
}

# Call the model
model(**inputs, use_cache=False)
