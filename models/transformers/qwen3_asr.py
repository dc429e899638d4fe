# labels: name::qwen3_asr author::qwen task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::2038052480
"""
Qwen3ASRForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/qwen3_asr/modeling_qwen3_asr.py
"""

import torch
from transformers import AutoModelForMultimodalLM, Qwen3ASRConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained("Qwen/Qwen3-ASR-1.7B-hf", dtype=torch.bfloat16)
else:
    settings = Qwen3ASRConfig(audio_config={"output_dim": 2048})
    model = AutoModelForMultimodalLM.from_config(settings, dtype=torch.bfloat16)
model.eval()
config = model.config
audio = model.config.audio_config
chunks = max_audio_seq_length // 16000
frames = 100 * chunks
places = torch.full((batch_size, 13 * chunks), config.audio_token_id)
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
