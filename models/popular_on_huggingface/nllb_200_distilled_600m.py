# labels: name::nllb_200_distilled_600m author::facebook task::translation license::cc-by-nc-4.0 test_group::popular_on_huggingface params::615073792
"""
nllb-200-distilled-600M of facebook, to translate text.

https://huggingface.co/facebook/nllb-200-distilled-600M
"""

import torch
from transformers import M2M100Config, M2M100ForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = M2M100Config(vocab_size=256206)
if pretrained:
    model = M2M100ForConditionalGeneration.from_pretrained(
        "facebook/nllb-200-distilled-600M", dtype=torch.float32
    )
else:
    model = M2M100ForConditionalGeneration(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
