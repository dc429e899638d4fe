# labels: name::qwen2_5_0_5b_instruct author::qwen task::text_generation license::apache-2.0 test_group::popular_on_huggingface params::494032768
"""
Qwen2.5-0.5B-Instruct of Qwen, to continue text.

https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct
"""

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
config = Qwen2Config(
    hidden_size=896,
    intermediate_size=4864,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
    rope_parameters={"rope_theta": 1000000.0, "rope_type": "default"},
    tie_word_embeddings=True,
)
if pretrained:
    model = Qwen2ForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B-Instruct", dtype=torch.float32)
else:
    model = Qwen2ForCausalLM(config)
model.eval()
inputs = {"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}

# Call the model
model(**inputs, use_cache=False)
