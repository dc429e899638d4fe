# labels: name::fastspeech2_conformer_with_hifigan author::espnet task::text_to_speech license::apache-2.0 test_group::transformers params::84188276
"""
FastSpeech2ConformerWithHifiGan of transformers in its default size: text in, speech out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/fastspeech2_conformer/modeling_fastspeech2_conformer.py
"""

import torch
from transformers import FastSpeech2ConformerWithHifiGan, FastSpeech2ConformerWithHifiGanConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = FastSpeech2ConformerWithHifiGan.from_pretrained(
        "espnet/fastspeech2_conformer_with_hifigan", dtype=torch.float32
    )
else:
    model = FastSpeech2ConformerWithHifiGan(FastSpeech2ConformerWithHifiGanConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(
        0, model.config.model_config.vocab_size, (batch_size, max_seq_length)
    ),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
