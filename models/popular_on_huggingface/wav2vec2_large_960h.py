# labels: name::wav2vec2_large_960h author::facebook task::automatic_speech_recognition license::apache-2.0 test_group::popular_on_huggingface params::315461792
"""
wav2vec2-large-960h of facebook, to write down speech.

https://huggingface.co/facebook/wav2vec2-large-960h
"""

import torch
from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
config = Wav2Vec2Config(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
)
if pretrained:
    model = Wav2Vec2ForCTC.from_pretrained("facebook/wav2vec2-large-960h", dtype=torch.float32)
else:
    model = Wav2Vec2ForCTC(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, max_audio_seq_length)}

# Call the model
model(**inputs)
