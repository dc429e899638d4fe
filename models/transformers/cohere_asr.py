# labels: name::cohere_asr author::cohere task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::2065647872
"""
CohereAsrForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/cohere_asr/modeling_cohere_asr.py
"""

import torch
from transformers import AutoModelForSpeechSeq2Seq, CohereAsrConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = AutoModelForSpeechSeq2Seq.from_pretrained(
        "CohereLabs/cohere-transcribe-03-2026", dtype=torch.bfloat16
    )
else:
    model = AutoModelForSpeechSeq2Seq.from_config(CohereAsrConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
audio = model.config.encoder_config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(batch_size, frames, audio.num_mel_bins, dtype=torch.bfloat16),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
