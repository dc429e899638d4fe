# labels: name::fun_asr_nano author::funaudiollm task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::829791840
"""
FunAsrNanoForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/fun_asr_nano/modeling_fun_asr_nano.py
"""

import torch
from transformers import FunAsrNanoConfig, FunAsrNanoForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = FunAsrNanoForConditionalGeneration.from_pretrained(
        "FunAudioLLM/Fun-ASR-Nano-2512-hf", dtype=torch.float32
    )
else:
    model = FunAsrNanoForConditionalGeneration(FunAsrNanoConfig())
model.eval()
config = model.config
audio = model.config.audio_config
frames = max_audio_seq_length // 960
places = torch.full((batch_size, frames), config.audio_token_id)
text = torch.randint(0, config.audio_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "input_features": torch.randn(batch_size, frames, audio.input_size),
    "input_features_mask": torch.ones(batch_size, frames, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
