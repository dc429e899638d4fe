# labels: name::blip_2_qformer author::salesforce task::image_feature_extraction license::apache-2.0 test_group::transformers params::105137664
"""
Blip2QFormerModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/blip_2/modeling_blip_2.py
"""

import torch
from transformers import Blip2QFormerConfig, Blip2QFormerModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size = parse(["batch_size"])

# The model and its inputs
model = Blip2QFormerModel(Blip2QFormerConfig())
model.eval()
config = model.config
inputs = {
    "query_embeds": torch.randn(batch_size, 32, config.hidden_size),
    "encoder_hidden_states": torch.randn(batch_size, 257, config.encoder_hidden_size),
}

# Call the model
model(**inputs)
