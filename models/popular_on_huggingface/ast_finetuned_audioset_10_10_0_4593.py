# labels: name::ast_finetuned_audioset_10_10_0_4593 author::mit task::audio_classification license::bsd-3-clause test_group::popular_on_huggingface params::86594063
"""
ast-finetuned-audioset-10-10-0.4593 of MIT, to classify sound.

https://huggingface.co/MIT/ast-finetuned-audioset-10-10-0.4593
"""

import torch
from transformers import ASTConfig, ASTForAudioClassification

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, pretrained = parse(["batch_size", "pretrained"])

# The model and its inputs
config = ASTConfig(num_labels=527)
if pretrained:
    model = ASTForAudioClassification.from_pretrained(
        "MIT/ast-finetuned-audioset-10-10-0.4593", dtype=torch.float32
    )
else:
    model = ASTForAudioClassification(config)
model.eval()
inputs = {"input_values": torch.randn(batch_size, config.max_length, config.num_mel_bins)}

# Call the model
model(**inputs)
