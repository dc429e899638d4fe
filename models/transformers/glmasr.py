# labels: name::glmasr author::zhipu task::image_text_to_text license::apache-2.0 test_group::transformers params::2136470528
"""
GlmAsrForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/glmasr/modeling_glmasr.py
"""

import torch
from transformers import AutoModelForMultimodalLM, GlmAsrConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained(
        "zai-org/GLM-ASR-Nano-2512", dtype=torch.bfloat16
    )
else:
    model = AutoModelForMultimodalLM.from_config(GlmAsrConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
audio = model.config.audio_config
frames = max_audio_seq_length // 160
places = torch.full((batch_size, frames // 8), config.audio_token_id)
text = torch.randint(0, config.audio_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "input_features": torch.randn(batch_size, audio.num_mel_bins, frames, dtype=torch.bfloat16),
    "input_features_mask": torch.ones(batch_size, frames, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
