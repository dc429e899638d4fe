# labels: name::modernbert_decoder author::jhu task::text_generation license::mit test_group::transformers params::149655232
"""
ModernBertDecoderForCausalLM of transformers in its default size: a language model.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/modernbert_decoder/modeling_modernbert_decoder.py
"""

import torch
from transformers import ModernBertDecoderConfig, ModernBertDecoderForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = ModernBertDecoderForCausalLM.from_pretrained(
        "jhu-clsp/ettin-decoder-150m", dtype=torch.float32
    )
else:
    model = ModernBertDecoderForCausalLM(ModernBertDecoderConfig())
model.eval()
inputs = {
    "input_ids": torch.randint(0, model.config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
}

# Call the model
model(**inputs, use_cache=False)
