# labels: name::visual_bert author::ucla task::multimodal_feature_extraction license::apache-2.0 test_group::transformers params::110270976
"""
VisualBertModel of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/visual_bert/modeling_visual_bert.py
"""

import torch
from transformers import VisualBertConfig, VisualBertModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = VisualBertModel.from_pretrained("uclanlp/visualbert-vqa-coco-pre", dtype=torch.float32)
else:
    model = VisualBertModel(VisualBertConfig())
model.eval()
config = model.config
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),
    "visual_embeds": torch.randn(batch_size, 36, config.visual_embedding_dim),
}

# Call the model
model(**inputs)
