# labels: name::moss_transcribe_diarize author::hf-audio task::image_text_to_text license::apache-2.0 test_group::transformers params::908513280
"""
MossTranscribeDiarizeForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/moss_transcribe_diarize/modeling_moss_transcribe_diarize.py
"""

import torch
from transformers import MossTranscribeDiarizeConfig, MossTranscribeDiarizeForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = MossTranscribeDiarizeForConditionalGeneration.from_pretrained(
        "hf-audio/MOSS-Transcribe-Diarize-HF", dtype=torch.float32
    )
else:
    model = MossTranscribeDiarizeForConditionalGeneration(MossTranscribeDiarizeConfig())
model.eval()
config = model.config
audio = model.config.audio_config
frames = 2 * audio.max_source_positions
places = torch.full((batch_size, frames // 8), config.audio_token_id)
text = torch.randint(0, config.audio_token_id, (batch_size, max_seq_length))
input_ids = torch.cat([places, text], dim=1)
inputs = {
    "input_ids": input_ids,
    "attention_mask": torch.ones_like(input_ids),
    "input_features": torch.randn(batch_size, audio.num_mel_bins, frames),
    "input_features_mask": torch.ones(batch_size, frames, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
