# labels: name::nemotron3_5_asr author::nvidia task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::636866592
"""
Nemotron3_5AsrForRNNT of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/nemotron3_5_asr/modeling_nemotron3_5_asr.py
"""

import torch
from transformers import Nemotron3_5AsrConfig, Nemotron3_5AsrForRNNT

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Nemotron3_5AsrForRNNT.from_pretrained(
        "nvidia/nemotron-3.5-asr-streaming-0.6b", dtype=torch.float32
    )
else:
    model = Nemotron3_5AsrForRNNT(Nemotron3_5AsrConfig())
model.eval()
config = model.config
audio = model.config.encoder_config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(batch_size, frames, audio.num_mel_bins),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
}

# Call the model
model(**inputs)
