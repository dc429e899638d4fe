# labels: name::pp_formulanet author::baidu task::image_to_text license::apache-2.0 test_group::transformers params::180897536
"""
PPFormulaNetForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/pp_formulanet/modeling_pp_formulanet.py
"""

import torch
from transformers import PPFormulaNetConfig, PPFormulaNetForConditionalGeneration

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = PPFormulaNetForConditionalGeneration.from_pretrained(
        "PaddlePaddle/PP-FormulaNet_plus-L_safetensors", dtype=torch.float32
    )
else:
    model = PPFormulaNetForConditionalGeneration(PPFormulaNetConfig())
model.eval()
language = model.config.text_config
vision = model.config.vision_config
size = vision.image_size
inputs = {
    "pixel_values": torch.rand(batch_size, 3, size, size),
    "decoder_input_ids": torch.randint(0, language.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
