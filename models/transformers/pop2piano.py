# labels: name::pop2piano author::sweetcocoa task::audio_to_music license::apache-2.0 test_group::transformers params::59108352
"""
Pop2PianoForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pop2piano/modeling_pop2piano.py
"""

import torch
from transformers import Pop2PianoConfig, Pop2PianoForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, max_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "max_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = Pop2PianoForConditionalGeneration.from_pretrained(
        "sweetcocoa/pop2piano", dtype=torch.float32
    )
else:
    model = Pop2PianoForConditionalGeneration(Pop2PianoConfig())
model.eval()
config = model.config
frames = max_audio_seq_length // 160
inputs = {
    "input_features": torch.randn(batch_size, frames, config.d_model),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
