# labels: name::dia author::nari-labs task::text_to_speech license::apache-2.0 test_group::transformers params::1611160576
"""
DiaForConditionalGeneration of transformers in its default size: text in, codes of speech out.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/dia/modeling_dia.py
"""

import torch
from transformers import AutoModelForSpeechSeq2Seq, DiaConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForSpeechSeq2Seq.from_pretrained("nari-labs/Dia-1.6B", dtype=torch.bfloat16)
else:
    model = AutoModelForSpeechSeq2Seq.from_config(DiaConfig(), dtype=torch.bfloat16)
model.eval()
decoder = model.config.decoder_config
inputs = {
    "input_ids": torch.randint(
        0, model.config.encoder_config.vocab_size, (batch_size, max_seq_length)
    ),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "decoder_input_ids": torch.randint(
        0, decoder.vocab_size, (batch_size, max_seq_length, decoder.num_channels)
    ),
}

# Call the model
model(**inputs, use_cache=False)
