# labels: name::fastspeech2_conformer author::espnet task::text_to_speech license::apache-2.0 test_group::transformers params::70262259
"""
FastSpeech2ConformerModel of transformers in its default size: text in, speech out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/fastspeech2_conformer/modeling_fastspeech2_conformer.py
"""

import torch
from transformers import FastSpeech2ConformerConfig, FastSpeech2ConformerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = FastSpeech2ConformerModel.from_pretrained(
        "espnet/fastspeech2_conformer", dtype=torch.float32
    )
else:
    model = FastSpeech2ConformerModel(FastSpeech2ConformerConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs)
