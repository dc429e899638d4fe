# labels: name::pocket_tts author::eustlb task::text_to_speech license::apache-2.0 test_group::transformers params::79689760
"""
PocketTTSModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pocket_tts/modeling_pocket_tts.py
"""

import torch
from transformers import PocketTTSConfig, PocketTTSModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = PocketTTSModel.from_pretrained("eustlb/pocket-tts", dtype=torch.float32)
else:
    model = PocketTTSModel(PocketTTSConfig())
model.eval()
config = model.config
first = config.audio_latent_token_id + 1
text = torch.randint(first, config.vocab_size, (batch_size, max_seq_length))
places = torch.full((batch_size, 25), config.audio_latent_token_id)
inputs = {
    "input_ids": torch.cat([text, places], dim=1),
    "audio_latents": torch.randn(batch_size, 25, config.latent_dim),
}

# Call the model
model(**inputs, use_cache=False)
