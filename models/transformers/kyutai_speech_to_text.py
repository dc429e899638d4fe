# labels: name::kyutai_speech_to_text author::kyutai task::automatic_speech_recognition license::cc-by-4.0 test_group::transformers params::2696431425
"""
KyutaiSpeechToTextForConditionalGeneration of transformers in its default configuration.

https://github.com/huggingface/transformers/blob/v5.22.2/src/transformers/models/kyutai_speech_to_text/modeling_kyutai_speech_to_text.py
"""

import torch
from transformers import AutoModelForMultimodalLM, KyutaiSpeechToTextConfig

from turnkeyml.parser import parse

torch.manual_seed(0)

# Parameters from the command line
batch_size, max_seq_length, pretrained = parse(["batch_size", "max_seq_length", "pretrained"])

# The model and its inputs
if pretrained:
    model = AutoModelForMultimodalLM.from_pretrained(
        "kyutai/stt-2.6b-en-trfs", dtype=torch.bfloat16
    )
else:
    model = AutoModelForMultimodalLM.from_config(KyutaiSpeechToTextConfig(), dtype=torch.bfloat16)
model.eval()
config = model.config
text = torch.randint(0, config.vocab_size, (batch_size, max_seq_length, 1))
shape = (batch_size, max_seq_length, config.num_codebooks)
codes = torch.randint(0, config.codebook_vocab_size, shape)
inputs = {"input_ids": torch.cat([text, codes], dim=2)}

# Call the model
model(**inputs, use_cache=False)
