# labels: name::voxtral_realtime author::mistralai task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::4429679360
"""
VoxtralRealtimeForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/voxtral_realtime/modeling_voxtral_realtime.py
"""

import torch
from transformers import AutoModelForMultimodalLM, VoxtralRealtimeConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained(
        "mistralai/Voxtral-Mini-4B-Realtime-2602", dtype=torch.bfloat16
    )
else:
    model = AutoModelForMultimodalLM.from_config(VoxtralRealtimeConfig(), dtype=torch.bfloat16)
model.eval()
language = model.config.text_config
audio = model.config.audio_config
frames = max_audio_seq_length // 160
inputs = {
    "input_ids": torch.randint(0, language.vocab_size, (batch_size, frames // 8)),
    "input_features": torch.randn(batch_size, audio.num_mel_bins, frames, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
