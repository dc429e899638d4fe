# labels: name::stable_audio_open_1_0_vae_decoder author::stabilityai task::text_to_audio license::other test_group::diffusers params::78122626
"""
Decoder of the autoencoder of Stable Audio Open, for 47 seconds.

https://huggingface.co/stabilityai/stable-audio-open-1.0
"""

import torch
from diffusers import AutoencoderOobleck

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    whole = AutoencoderOobleck.from_pretrained("stabilityai/stable-audio-open-1.0", subfolder="vae")
else:
    whole = AutoencoderOobleck()
model = whole.decoder
model.eval()
inputs = {
    "hidden_state": torch.randn(batch_size, 64, 1024),
}

# Call the model, without what only gradients need
with torch.no_grad():
    model(**inputs)
