# labels: name::granite_speech author::ibm task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::6986902570
"""
GraniteSpeechForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/granite_speech/modeling_granite_speech.py
"""

import torch
from transformers import AutoModelForMultimodalLM, GraniteSpeechConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained(
        "ibm-granite/granite-speech-3.3-2b", dtype=torch.bfloat16
    )
else:
    settings = GraniteSpeechConfig(
        audio_token_index=31999,
        projector_config={"model_type": "blip_2_qformer", "encoder_hidden_size": 1024},
    )
    model = AutoModelForMultimodalLM.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
audio = model.config.encoder_config
frames = max_audio_seq_length // 320
windows = (frames + config.window_size - 1) // config.window_size
places = torch.full((batch_size, 3 * windows), config.audio_token_id)
text = torch.randint(0, config.audio_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "input_features": torch.randn(batch_size, frames, audio.input_dim, dtype=torch.bfloat16),
}

# Call the model
model(**inputs, use_cache=False)
