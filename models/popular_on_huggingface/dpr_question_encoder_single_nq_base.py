# labels: name::dpr_question_encoder_single_nq_base author::facebook task::feature_extraction license::cc-by-nc-4.0 test_group::popular_on_huggingface params::108891648
"""
dpr-question_encoder-single-nq-base of facebook, for embeddings.

https://huggingface.co/facebook/dpr-question_encoder-single-nq-base
"""

import torch
from transformers import DPRConfig, DPRQuestionEncoder

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = DPRConfig()
if pretrained:
    model = DPRQuestionEncoder.from_pretrained(
        "facebook/dpr-question_encoder-single-nq-base", dtype=torch.float32
    )
else:
    model = DPRQuestionEncoder(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs)
