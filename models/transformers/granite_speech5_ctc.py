# labels: name::granite_speech5_ctc author::ibm task::automatic_speech_recognition license::apache-2.0 test_group::transformers params::472928256
"""
GraniteSpeech5ForCTC of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/granite_speech5/modeling_granite_speech5.py
"""

import torch
from transformers import GraniteSpeech5CTCConfig, GraniteSpeech5ForCTC

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = GraniteSpeech5ForCTC.from_pretrained(
        "ibm-granite/granite-speech-5.0-470m-turboctc", dtype=torch.float32
    )
else:
    model = GraniteSpeech5ForCTC(GraniteSpeech5CTCConfig())
model.eval()
audio = model.config.encoder_config
frames = max_audio_seq_length // 160
inputs = {"input_features": torch.randn(batch_size, frames, 4 * audio.num_mel_bins)}

# Call the model
model(**inputs)
