# labels: name::musicgen_melody author::meta task::text_to_audio license::cc-by-nc-4.0 test_group::transformers params::369592802
"""
MusicgenMelodyForConditionalGeneration of transformers in its default size: text in, codes of sound out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/musicgen_melody/modeling_musicgen_melody.py
"""

import torch
from transformers import MusicgenMelodyConfig, MusicgenMelodyForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = MusicgenMelodyForConditionalGeneration.from_pretrained(
        "facebook/musicgen-melody", dtype=torch.float32
    )
else:
    model = MusicgenMelodyForConditionalGeneration(MusicgenMelodyConfig())
model.eval()
decoder = model.config.decoder
inputs = {
    "input_ids": torch.randint(
        0, model.config.text_encoder.vocab_size, (batch_size, max_seq_length)
    ),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(
        0, decoder.vocab_size, (batch_size * decoder.num_codebooks, max_seq_length)
    ),
}

# Call the model
model(**inputs, use_cache=False)
