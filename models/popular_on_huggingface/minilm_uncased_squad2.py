# labels: name::minilm_uncased_squad2 author::deepset task::question_answering license::cc-by-4.0 test_group::popular_on_huggingface params::33212930
"""
minilm-uncased-squad2 of deepset, to find answers in a text.

https://huggingface.co/deepset/minilm-uncased-squad2
"""

import torch
from transformers import BertConfig, BertForQuestionAnswering

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(hidden_size=384, intermediate_size=1536)
if pretrained:
    model = BertForQuestionAnswering.from_pretrained(
        "deepset/minilm-uncased-squad2", dtype=torch.float32
    )
else:
    model = BertForQuestionAnswering(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
