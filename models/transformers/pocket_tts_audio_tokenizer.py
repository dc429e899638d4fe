# labels: name::pocket_tts_audio_tokenizer author::eustlb task::audio_feature_extraction license::apache-2.0 test_group::transformers params::20054337
"""
PocketTTSAudioTokenizerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pocket_tts_audio_tokenizer/modeling_pocket_tts_audio_tokenizer.py
"""

import torch
from transformers import PocketTTSAudioTokenizerConfig, PocketTTSAudioTokenizerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_audio_seq_length, pretrained = parse(
    ["batch_size", "max_audio_seq_length", "pretrained"]
)

# The model and its inputs
if pretrained:
    model = PocketTTSAudioTokenizerModel.from_pretrained(
        "eustlb/pocket-tts-audio-tokenizer", dtype=torch.float32
    )
else:
    model = PocketTTSAudioTokenizerModel(PocketTTSAudioTokenizerConfig())
model.eval()
inputs = {"input_values": torch.randn(batch_size, 1, max_audio_seq_length)}

# Call the model
model(**inputs)
