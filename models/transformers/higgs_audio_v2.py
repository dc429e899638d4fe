# labels: name::higgs_audio_v2 author::bosonai task::text_to_speech license::other test_group::transformers params::5377182720
"""
HiggsAudioV2ForConditionalGeneration of transformers in its default size: text in, speech out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/higgs_audio_v2/modeling_higgs_audio_v2.py
"""

import torch
from transformers import AutoModel, HiggsAudioV2Config

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModel.from_pretrained(
        "bosonai/higgs-audio-v2-generation-3B-base", dtype=torch.bfloat16
    )
else:
    model = AutoModel.from_config(HiggsAudioV2Config(), dtype=torch.bfloat16)
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
