# labels: name::audioldm_s_full_v2_vocoder author::cvssp task::text_to_audio license::cc-by-nc-sa-4.0 test_group::diffusers params::55264897
"""
Vocoder of AudioLDM S v2, for ten seconds.

https://huggingface.co/cvssp/audioldm-s-full-v2
"""

import torch
from transformers import SpeechT5HifiGan, SpeechT5HifiGanConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
if pretrained:
    model = SpeechT5HifiGan.from_pretrained("cvssp/audioldm-s-full-v2", subfolder="vocoder")
else:
    model = SpeechT5HifiGan(
        SpeechT5HifiGanConfig(
            model_in_dim=64,
            sampling_rate=16000,
            upsample_initial_channel=1024,
            upsample_rates=(5, 4, 2, 2, 2),
            upsample_kernel_sizes=(16, 16, 8, 4, 4),
            normalize_before=False,
        )
    )
model.eval()
inputs = {
    "spectrogram": torch.randn(batch_size, 1024, 64),
}

# Call the model
model(**inputs)
