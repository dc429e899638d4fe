# labels: name::bert_large_uncased_whole_word_masking_finetuned_squad author::google-bert task::question_answering license::apache-2.0 test_group::popular_on_huggingface params::334094338
"""
bert-large-uncased-whole-word-masking-finetuned-squad of google-bert, to find answers in a text.

https://huggingface.co/google-bert/bert-large-uncased-whole-word-masking-finetuned-squad
"""

import torch
from transformers import BertConfig, BertForQuestionAnswering

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = BertConfig(
    hidden_size=1024,
    num_hidden_layers=24,
    num_attention_heads=16,
    intermediate_size=4096,
)
if pretrained:
    model = BertForQuestionAnswering.from_pretrained(
        "google-bert/bert-large-uncased-whole-word-masking-finetuned-squad", dtype=torch.float32
    )
else:
    model = BertForQuestionAnswering(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
