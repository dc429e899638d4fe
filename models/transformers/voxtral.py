# labels: name::voxtral author::mistralai task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::4676271104
"""
VoxtralForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/voxtral/modeling_voxtral.py
"""

import torch
from transformers import AutoModelForMultimodalLM, VoxtralConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained(
        "mistralai/Voxtral-Mini-3B-2507", dtype=torch.bfloat16
    )
else:
    settings = VoxtralConfig(audio_token_id=24)
    model = AutoModelForMultimodalLM.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
language = model.config.text_config
audio = model.config.audio_config
frames = 2 * audio.max_source_positions
places = torch.full((batch_size, frames // 8), config.audio_token_id)
text = torch.randint(config.audio_token_id + 1, language.vocab_size, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "input_features": torch.randn(batch_size, audio.num_mel_bins, frames, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
