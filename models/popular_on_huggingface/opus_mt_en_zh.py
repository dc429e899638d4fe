# labels: name::opus_mt_en_zh author::helsinki-nlp task::translation license::apache-2.0 test_group::popular_on_huggingface params::77943296
"""
opus-mt-en-zh of Helsinki-NLP, to translate text.

https://huggingface.co/Helsinki-NLP/opus-mt-en-zh
"""

import torch
from transformers import MarianConfig, MarianMTModel

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = MarianConfig(
    d_model=512,
    encoder_layers=6,
    decoder_layers=6,
    encoder_attention_heads=8,
    decoder_attention_heads=8,
    encoder_ffn_dim=2048,
    decoder_ffn_dim=2048,
    vocab_size=65001,
    decoder_vocab_size=65001,
    max_position_embeddings=512,
    activation_function="swish",
    scale_embedding=True,
    pad_token_id=65000,
    decoder_start_token_id=65000,
)
if pretrained:
    model = MarianMTModel.from_pretrained("Helsinki-NLP/opus-mt-en-zh", dtype=torch.float32)
else:
    model = MarianMTModel(config)
model.eval()
inputs = {
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
    "decoder_input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length)),
}

# Call the model
model(**inputs, use_cache=False)
