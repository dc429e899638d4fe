# labels: name::tinyroberta_squad2 author::deepset task::question_answering license::cc-by-4.0 test_group::popular_on_huggingface params::81529346
"""
tinyroberta-squad2 of deepset, to find answers in a text.

https://huggingface.co/deepset/tinyroberta-squad2
"""

import torch
from transformers import RobertaConfig, RobertaForQuestionAnswering

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = RobertaConfig(
    num_hidden_layers=6,
    max_position_embeddings=514,
    type_vocab_size=1,
    layer_norm_eps=1e-05,
)
if pretrained:
    model = RobertaForQuestionAnswering.from_pretrained(
        "deepset/tinyroberta-squad2", dtype=torch.float32
    )
else:
    model = RobertaForQuestionAnswering(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
