"""The most popular checkpoints, and the values of their published configurations.

Data only, grouped by model class. The scripts contain these values, so that they need the network
only for the weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["GROUPS", "LICENSES", "PUBLISHED", "Group"]

Figures = dict[str, Any]


@dataclass(frozen=True)
class Group:
    """The checkpoints of one class of transformers."""

    model: str
    task: str
    license: str
    checkpoints: Mapping[str, Figures]
    inputs: str = "text"
    """The kind of inputs that they take."""
    size: tuple[int, int] | None = None
    """Height and width of the images, if the model also takes images of other sizes."""


def bert(hidden: int, layers: int, heads: int, **more: Any) -> Figures:
    """The configuration of most encoders: the feed-forward layer has four times the width."""
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": 4 * hidden,
        **more,
    }


def roberta(hidden: int, layers: int, heads: int, **more: Any) -> Figures:
    """As BERT, but positions start at two, and there is one token type."""
    own = {"max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
    return bert(hidden, layers, heads, **{**own, **more})


def deberta(hidden: int, layers: int, heads: int, **more: Any) -> Figures:
    """DeBERTa version 3, with relative positions in buckets."""
    own = {
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pooler_hidden_size": hidden,
    }
    return bert(hidden, layers, heads, **{**own, **more})


def t5(model: int, inner: int, layers: int, heads: int, **more: Any) -> Figures:
    """T5 version 1.0."""
    return {
        "d_model": model,
        "d_ff": inner,
        "num_layers": layers,
        "num_decoder_layers": layers,
        "num_heads": heads,
        **more,
    }


def t5_gated(model: int, inner: int, layers: int, heads: int, **more: Any) -> Figures:
    """T5 version 1.1 and later: a gated feed-forward layer, and an output that is not scaled.

    The output is scaled if the published configuration ties it to the embedding.
    """
    own = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
    return t5(model, inner, layers, heads, **{**own, **more})


def bart(model: int, encoder: int, decoder: int, heads: int, **more: Any) -> Figures:
    """An encoder and a decoder of the same width."""
    return {
        "d_model": model,
        "encoder_layers": encoder,
        "decoder_layers": decoder,
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": 4 * model,
        "decoder_ffn_dim": 4 * model,
        **more,
    }


def pegasus(**more: Any) -> Figures:
    """Pegasus, which has one size."""
    own = {"vocab_size": 96103, "activation_function": "relu", "scale_embedding": True}
    return bart(1024, 16, 16, 16, **{**own, **more})


def marian(vocabulary: int) -> Figures:
    """The translation models of the University of Helsinki, which differ in their vocabulary."""
    return bart(
        512,
        6,
        6,
        8,
        vocab_size=vocabulary,
        decoder_vocab_size=vocabulary,
        max_position_embeddings=512,
        activation_function="swish",
        scale_embedding=True,
        pad_token_id=vocabulary - 1,
        decoder_start_token_id=vocabulary - 1,
        eos_token_id=0,
        forced_eos_token_id=0,
    )


def gpt2(embedding: int, layers: int, heads: int, **more: Any) -> Figures:
    """GPT-2 and models of the same architecture."""
    return {"n_embd": embedding, "n_layer": layers, "n_head": heads, **more}


def opt(hidden: int, layers: int, heads: int, **more: Any) -> Figures:
    """OPT."""
    own = {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "ffn_dim": 4 * hidden,
        "word_embed_proj_dim": hidden,
    }
    return {**own, **more}


def llama(
    hidden: int, inner: int, layers: int, heads: int, shared: int, *, theta: float, **more: Any
) -> Figures:
    """Llama and models of the same architecture; ``shared`` is the number of key-value heads."""
    return {
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": shared,
        "rope_parameters": {"rope_theta": theta, "rope_type": "default"},
        **more,
    }


def wav2vec2_large(**more: Any) -> Figures:
    """Large speech models, which normalise every layer of their feature extractor."""
    own = {"feat_extract_norm": "layer", "do_stable_layer_norm": True, "conv_bias": True}
    return bert(1024, 24, 16, **{**own, **more})


def clip(text: Figures, vision: Figures, projection: int, **both: Any) -> Figures:
    """CLIP: a text tower, an image tower, and the width of the shared embedding."""
    return {
        "text_config": {**text, **both, "projection_dim": projection},
        "vision_config": {**vision, **both, "projection_dim": projection},
        "projection_dim": projection,
    }


def siglip(**vision: Any) -> Figures:
    """As CLIP, but both towers have the width of the shared embedding."""
    return {"vision_config": vision}


def swin(width: int, depths: list[int], **more: Any) -> Figures:
    """A shifted-window transformer, whose heads all have 32 channels."""
    heads = [width * 2**stage // 32 for stage in range(4)]
    return {"embed_dim": width, "depths": depths, "num_heads": heads, **more}


def convnext(width: int, depths: list[int], **more: Any) -> Figures:
    """A convolutional network whose stages double in width."""
    return {"hidden_sizes": [width * 2**stage for stage in range(4)], "depths": depths, **more}


def segformer(widths: list[int], depths: list[int], decoder: int, **more: Any) -> Figures:
    """A pyramid of transformers."""
    return {"hidden_sizes": widths, "depths": depths, "decoder_hidden_size": decoder, **more}


BERT_LARGE = bert(1024, 24, 16)
MINI_LM_6 = bert(384, 6, 12)
MINI_LM_12 = bert(384, 12, 12)
CASED = {"vocab_size": 28996}
SCIENTIFIC = {"vocab_size": 31090}
ROBERTA = roberta(768, 12, 12)
ROBERTA_LARGE = roberta(1024, 24, 16)
XLM = roberta(768, 12, 12, vocab_size=250002)
XLM_LARGE = roberta(1024, 24, 16, vocab_size=250002)
BGE_M3 = {**XLM_LARGE, "max_position_embeddings": 8194}
MPNET = {"max_position_embeddings": 514, "layer_norm_eps": 1e-5}
T5_BASE = t5(768, 3072, 12, 12)
CLIP_TEXT = bert(512, 12, 8)
VIT_LARGE = bert(1024, 24, 16)
VIT_GPT2 = {
    "encoder": {"model_type": "vit"},
    "decoder": {"model_type": "gpt2", "is_decoder": True, "add_cross_attention": True},
}

GROUPS = [
    # Text encoders
    Group(
        "BertForMaskedLM",
        "fill_mask",
        "apache-2.0",
        {
            "google-bert/bert-base-uncased": {},
            "google-bert/bert-base-cased": CASED,
            "google-bert/bert-large-uncased": BERT_LARGE,
            "google-bert/bert-large-cased": {**BERT_LARGE, **CASED},
            "google-bert/bert-base-multilingual-cased": {"vocab_size": 119547},
            "google-bert/bert-base-multilingual-uncased": {"vocab_size": 105879},
            "google-bert/bert-base-chinese": {"vocab_size": 21128},
            "google-bert/bert-base-german-cased": {"vocab_size": 30000},
            "emilyalsentzer/Bio_ClinicalBERT": CASED,
            "nlpaueb/legal-bert-base-uncased": {},
            "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext": {},
            "neuralmind/bert-base-portuguese-cased": {"vocab_size": 29794},
            "dbmdz/bert-base-turkish-cased": {"vocab_size": 32000},
            "tohoku-nlp/bert-base-japanese": {"vocab_size": 32000},
            "Rostlab/prot_bert": bert(1024, 30, 16, vocab_size=30, max_position_embeddings=40000),
        },
    ),
    Group(
        "BertModel",
        "feature_extraction",
        "mit",
        {
            "prajjwal1/bert-tiny": bert(128, 2, 2),
            "prajjwal1/bert-mini": bert(256, 4, 4),
            "prajjwal1/bert-small": bert(512, 4, 8),
            "prajjwal1/bert-medium": bert(512, 8, 8),
            "sentence-transformers/all-MiniLM-L6-v2": MINI_LM_6,
            "sentence-transformers/all-MiniLM-L12-v2": MINI_LM_12,
            "sentence-transformers/paraphrase-MiniLM-L6-v2": MINI_LM_6,
            "sentence-transformers/multi-qa-MiniLM-L6-cos-v1": MINI_LM_6,
            "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2": {
                **MINI_LM_12,
                "vocab_size": 250037,
            },
            "sentence-transformers/LaBSE": {"vocab_size": 501153},
            "BAAI/bge-small-en-v1.5": MINI_LM_12,
            "BAAI/bge-base-en-v1.5": {},
            "BAAI/bge-large-en-v1.5": BERT_LARGE,
            "intfloat/e5-small-v2": MINI_LM_12,
            "intfloat/e5-base-v2": {},
            "intfloat/e5-large-v2": BERT_LARGE,
            "intfloat/multilingual-e5-small": {**MINI_LM_12, "vocab_size": 250037},
            "thenlper/gte-small": MINI_LM_12,
            "thenlper/gte-base": {},
            "thenlper/gte-large": BERT_LARGE,
            "mixedbread-ai/mxbai-embed-large-v1": BERT_LARGE,
            "Snowflake/snowflake-arctic-embed-xs": MINI_LM_6,
            "Snowflake/snowflake-arctic-embed-m": {},
            "facebook/contriever": {},
            "allenai/scibert_scivocab_uncased": SCIENTIFIC,
            "allenai/specter": SCIENTIFIC,
            "dmis-lab/biobert-v1.1": CASED,
        },
    ),
    Group(
        "BertForSequenceClassification",
        "text_classification",
        "apache-2.0",
        {
            "ProsusAI/finbert": {"num_labels": 3},
            "yiyanghkust/finbert-tone": {"vocab_size": 30873, "num_labels": 3},
            "unitary/toxic-bert": {"num_labels": 6},
            "nlptown/bert-base-multilingual-uncased-sentiment": {
                "vocab_size": 105879,
                "num_labels": 5,
            },
            "cross-encoder/ms-marco-MiniLM-L6-v2": {**MINI_LM_6, "num_labels": 1},
            "cross-encoder/ms-marco-MiniLM-L12-v2": {**MINI_LM_12, "num_labels": 1},
        },
    ),
    Group(
        "BertForTokenClassification",
        "token_classification",
        "mit",
        {
            "dslim/bert-base-NER": {**CASED, "num_labels": 9},
            "dslim/bert-large-NER": {**BERT_LARGE, **CASED, "num_labels": 9},
            "dbmdz/bert-large-cased-finetuned-conll03-english": {
                **BERT_LARGE,
                **CASED,
                "num_labels": 9,
            },
        },
    ),
    Group(
        "BertForQuestionAnswering",
        "question_answering",
        "apache-2.0",
        {
            "google-bert/bert-large-uncased-whole-word-masking-finetuned-squad": BERT_LARGE,
            "deepset/minilm-uncased-squad2": MINI_LM_12,
        },
    ),
    Group(
        "RobertaForMaskedLM",
        "fill_mask",
        "mit",
        {
            "FacebookAI/roberta-base": ROBERTA,
            "FacebookAI/roberta-large": ROBERTA_LARGE,
            "distilbert/distilroberta-base": roberta(768, 6, 12),
            "vinai/bertweet-base": {
                **ROBERTA,
                "vocab_size": 64001,
                "max_position_embeddings": 130,
            },
            "vinai/phobert-base": {**ROBERTA, "vocab_size": 64001, "max_position_embeddings": 258},
        },
    ),
    Group(
        "RobertaModel",
        "feature_extraction",
        "apache-2.0",
        {
            "microsoft/codebert-base": ROBERTA,
            "microsoft/graphcodebert-base": ROBERTA,
            "sentence-transformers/all-distilroberta-v1": roberta(768, 6, 12),
        },
    ),
    Group(
        "RobertaForSequenceClassification",
        "text_classification",
        "mit",
        {
            "FacebookAI/roberta-large-mnli": {**ROBERTA_LARGE, "num_labels": 3},
            "cardiffnlp/twitter-roberta-base-sentiment-latest": {**ROBERTA, "num_labels": 3},
            "cardiffnlp/twitter-roberta-base-emotion": {**ROBERTA, "num_labels": 4},
            "SamLowe/roberta-base-go_emotions": {**ROBERTA, "num_labels": 28},
            "j-hartmann/emotion-english-distilroberta-base": roberta(768, 6, 12, num_labels=7),
            "openai-community/roberta-base-openai-detector": ROBERTA,
        },
    ),
    Group(
        "RobertaForQuestionAnswering",
        "question_answering",
        "cc-by-4.0",
        {
            "deepset/roberta-base-squad2": ROBERTA,
            "deepset/roberta-large-squad2": ROBERTA_LARGE,
            "deepset/tinyroberta-squad2": roberta(768, 6, 12),
        },
    ),
    Group(
        "CamembertForMaskedLM",
        "fill_mask",
        "mit",
        {"almanach/camembert-base": {**ROBERTA, "vocab_size": 32005}},
    ),
    Group(
        "XLMRobertaForMaskedLM",
        "fill_mask",
        "mit",
        {"FacebookAI/xlm-roberta-base": XLM, "FacebookAI/xlm-roberta-large": XLM_LARGE},
    ),
    Group(
        "XLMRobertaModel",
        "feature_extraction",
        "mit",
        {
            "BAAI/bge-m3": BGE_M3,
            "intfloat/multilingual-e5-base": XLM,
            "intfloat/multilingual-e5-large": XLM_LARGE,
            "sentence-transformers/paraphrase-multilingual-mpnet-base-v2": XLM,
        },
    ),
    Group(
        "XLMRobertaForSequenceClassification",
        "text_classification",
        "apache-2.0",
        {
            "BAAI/bge-reranker-base": {**XLM, "num_labels": 1},
            "BAAI/bge-reranker-large": {**XLM_LARGE, "num_labels": 1},
            "BAAI/bge-reranker-v2-m3": {**BGE_M3, "num_labels": 1},
            "cardiffnlp/twitter-xlm-roberta-base-sentiment": {**XLM, "num_labels": 3},
            "papluca/xlm-roberta-base-language-detection": {**XLM, "num_labels": 20},
        },
    ),
    Group(
        "DistilBertForMaskedLM",
        "fill_mask",
        "apache-2.0",
        {
            "distilbert/distilbert-base-uncased": {},
            "distilbert/distilbert-base-cased": CASED,
            "distilbert/distilbert-base-multilingual-cased": {"vocab_size": 119547},
        },
    ),
    Group(
        "DistilBertModel",
        "feature_extraction",
        "apache-2.0",
        {
            "sentence-transformers/distiluse-base-multilingual-cased-v2": {"vocab_size": 119547},
            "sentence-transformers/msmarco-distilbert-base-v4": {},
        },
    ),
    Group(
        "DistilBertForSequenceClassification",
        "text_classification",
        "apache-2.0",
        {
            "distilbert/distilbert-base-uncased-finetuned-sst-2-english": {},
            "bhadresh-savani/distilbert-base-uncased-emotion": {"num_labels": 6},
            "lxyuan/distilbert-base-multilingual-cased-sentiments-student": {
                "vocab_size": 119547,
                "num_labels": 3,
            },
        },
    ),
    Group(
        "DistilBertForQuestionAnswering",
        "question_answering",
        "apache-2.0",
        {
            "distilbert/distilbert-base-cased-distilled-squad": CASED,
            "distilbert/distilbert-base-uncased-distilled-squad": {},
        },
    ),
    Group(
        "AlbertForMaskedLM",
        "fill_mask",
        "apache-2.0",
        {
            "albert/albert-base-v2": bert(768, 12, 12),
            "albert/albert-large-v2": bert(1024, 24, 16),
            "albert/albert-xlarge-v2": bert(2048, 24, 16),
        },
    ),
    Group(
        "DebertaModel",
        "feature_extraction",
        "mit",
        {
            "microsoft/deberta-base": {
                "relative_attention": True,
                "pos_att_type": ["c2p", "p2c"],
                "position_biased_input": False,
            }
        },
    ),
    Group(
        "DebertaV2Model",
        "feature_extraction",
        "mit",
        {
            "microsoft/deberta-v3-xsmall": deberta(384, 12, 6),
            "microsoft/deberta-v3-small": deberta(768, 6, 12),
            "microsoft/deberta-v3-base": deberta(768, 12, 12),
            "microsoft/deberta-v3-large": deberta(1024, 24, 16),
            "microsoft/mdeberta-v3-base": deberta(768, 12, 12, vocab_size=251000),
        },
    ),
    Group(
        "DebertaV2ForSequenceClassification",
        "text_classification",
        "apache-2.0",
        {
            "cross-encoder/nli-deberta-v3-base": deberta(768, 12, 12, num_labels=3),
            "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli": deberta(768, 12, 12, num_labels=3),
        },
    ),
    Group(
        "ElectraForPreTraining",
        "feature_extraction",
        "apache-2.0",
        {
            "google/electra-small-discriminator": {},
            "google/electra-base-discriminator": bert(768, 12, 12, embedding_size=768),
            "google/electra-large-discriminator": bert(1024, 24, 16, embedding_size=1024),
        },
    ),
    Group(
        "MPNetModel",
        "feature_extraction",
        "apache-2.0",
        {
            "sentence-transformers/all-mpnet-base-v2": MPNET,
            "sentence-transformers/multi-qa-mpnet-base-dot-v1": MPNET,
        },
    ),
    Group("MPNetForMaskedLM", "fill_mask", "mit", {"microsoft/mpnet-base": MPNET}),
    Group("MobileBertForMaskedLM", "fill_mask", "apache-2.0", {"google/mobilebert-uncased": {}}),
    Group(
        "ModernBertForMaskedLM",
        "fill_mask",
        "apache-2.0",
        {
            "answerdotai/ModernBERT-base": {},
            "answerdotai/ModernBERT-large": {
                "hidden_size": 1024,
                "intermediate_size": 2624,
                "num_hidden_layers": 28,
                "num_attention_heads": 16,
            },
        },
    ),
    Group(
        "NomicBertModel",
        "feature_extraction",
        "apache-2.0",
        {"nomic-ai/nomic-embed-text-v1.5": {}},
    ),
    Group(
        "Qwen3Model",
        "feature_extraction",
        "apache-2.0",
        {
            "Qwen/Qwen3-Embedding-0.6B": llama(
                1024, 3072, 28, 16, 8, theta=1e6, vocab_size=151669, tie_word_embeddings=True
            )
        },
        inputs="generation",
    ),
    Group(
        "DPRQuestionEncoder",
        "feature_extraction",
        "cc-by-nc-4.0",
        {"facebook/dpr-question_encoder-single-nq-base": {}},
    ),
    Group(
        "EsmForMaskedLM",
        "fill_mask",
        "mit",
        {
            f"facebook/esm2_{name}_UR50D": bert(
                hidden,
                layers,
                20,
                vocab_size=33,
                pad_token_id=1,
                mask_token_id=32,
                layer_norm_eps=1e-5,
                position_embedding_type="rotary",
                token_dropout=True,
            )
            for name, hidden, layers in (
                ("t6_8M", 320, 6),
                ("t12_35M", 480, 12),
                ("t30_150M", 640, 30),
                ("t33_650M", 1280, 33),
            )
        },
    ),
    # Text decoders
    Group(
        "GPT2LMHeadModel",
        "text_generation",
        "mit",
        {
            "openai-community/gpt2": {},
            "openai-community/gpt2-medium": gpt2(1024, 24, 16),
            "openai-community/gpt2-large": gpt2(1280, 36, 20),
            "openai-community/gpt2-xl": gpt2(1600, 48, 25),
            "distilbert/distilgpt2": gpt2(768, 6, 12),
            "microsoft/DialoGPT-small": {},
            "microsoft/DialoGPT-medium": gpt2(1024, 24, 16),
            "cerebras/Cerebras-GPT-111M": gpt2(
                768, 10, 12, n_positions=2048, n_inner=3072, activation_function="gelu"
            ),
        },
        inputs="generation",
    ),
    Group(
        "OPTForCausalLM",
        "text_generation",
        "other",
        {
            "facebook/opt-125m": opt(768, 12, 12),
            "facebook/opt-350m": opt(
                1024, 24, 16, word_embed_proj_dim=512, do_layer_norm_before=False
            ),
            "facebook/opt-1.3b": opt(2048, 24, 32),
        },
        inputs="generation",
    ),
    Group(
        "BloomForCausalLM",
        "text_generation",
        "bigscience-bloom-rail-1.0",
        {
            "bigscience/bloom-560m": {"hidden_size": 1024, "n_layer": 24, "n_head": 16},
            "bigscience/bloomz-560m": {"hidden_size": 1024, "n_layer": 24, "n_head": 16},
        },
        inputs="generation",
    ),
    Group(
        "GPTNeoXForCausalLM",
        "text_generation",
        "apache-2.0",
        {
            "EleutherAI/pythia-70m": bert(512, 6, 8, vocab_size=50304),
            "EleutherAI/pythia-160m": bert(768, 12, 12, vocab_size=50304),
            "EleutherAI/pythia-410m": bert(1024, 24, 16, vocab_size=50304),
        },
        inputs="generation",
    ),
    Group(
        "GPTNeoForCausalLM",
        "text_generation",
        "mit",
        {
            "EleutherAI/gpt-neo-125m": {
                "hidden_size": 768,
                "num_layers": 12,
                "num_heads": 12,
                "attention_types": [[["global", "local"], 6]],
            },
            "EleutherAI/gpt-neo-1.3B": {},
            "roneneldan/TinyStories-33M": {
                "hidden_size": 768,
                "num_layers": 4,
                "num_heads": 16,
                "attention_types": [[["global", "local"], 2]],
            },
        },
        inputs="generation",
    ),
    Group(
        "CodeGenForCausalLM",
        "text_generation",
        "bsd-3-clause",
        {"Salesforce/codegen-350M-mono": gpt2(1024, 20, 16, rotary_dim=32, vocab_size=51200)},
        inputs="generation",
    ),
    Group(
        "GPTBigCodeForCausalLM",
        "text_generation",
        "bigcode-openrail-m",
        {
            "bigcode/tiny_starcoder_py": gpt2(
                768,
                20,
                12,
                n_positions=8192,
                n_inner=3072,
                vocab_size=49152,
                bos_token_id=0,
                eos_token_id=0,
            )
        },
        inputs="generation",
    ),
    Group("OpenAIGPTLMHeadModel", "text_generation", "mit", {"openai-community/openai-gpt": {}}),
    Group(
        "LlamaForCausalLM",
        "text_generation",
        "apache-2.0",
        {
            "HuggingFaceTB/SmolLM2-135M": llama(
                576,
                1536,
                30,
                9,
                3,
                theta=1e5,
                vocab_size=49152,
                max_position_embeddings=8192,
                rms_norm_eps=1e-5,
                tie_word_embeddings=True,
            ),
            "HuggingFaceTB/SmolLM2-360M": llama(
                960,
                2560,
                32,
                15,
                5,
                theta=1e5,
                vocab_size=49152,
                max_position_embeddings=8192,
                rms_norm_eps=1e-5,
                tie_word_embeddings=True,
            ),
            "TinyLlama/TinyLlama-1.1B-Chat-v1.0": llama(
                2048, 5632, 22, 32, 4, theta=1e4, rms_norm_eps=1e-5
            ),
        },
        inputs="generation",
    ),
    Group(
        "Qwen2ForCausalLM",
        "text_generation",
        "apache-2.0",
        {
            "Qwen/Qwen2.5-0.5B-Instruct": llama(
                896, 4864, 24, 14, 2, theta=1e6, tie_word_embeddings=True
            ),
            "Qwen/Qwen2.5-1.5B-Instruct": llama(
                1536, 8960, 28, 12, 2, theta=1e6, tie_word_embeddings=True
            ),
        },
        inputs="generation",
    ),
    Group(
        "Qwen3ForCausalLM",
        "text_generation",
        "apache-2.0",
        {
            "Qwen/Qwen3-0.6B": llama(
                1024,
                3072,
                28,
                16,
                8,
                theta=1e6,
                max_position_embeddings=40960,
                tie_word_embeddings=True,
            )
        },
        inputs="generation",
    ),
    # Text encoder-decoders
    Group(
        "T5ForConditionalGeneration",
        "text2text_generation",
        "apache-2.0",
        {
            "google-t5/t5-small": {},
            "google-t5/t5-base": T5_BASE,
            "google-t5/t5-large": t5(1024, 4096, 24, 16),
            "google/flan-t5-small": t5_gated(512, 1024, 8, 6),
            "google/flan-t5-base": t5_gated(768, 2048, 12, 12),
            "google/flan-t5-large": t5_gated(1024, 2816, 24, 16),
            "google/flan-t5-xl": t5_gated(2048, 5120, 24, 32),
            "google/byt5-small": t5_gated(1472, 3584, 12, 6, num_decoder_layers=4, vocab_size=384),
            "Salesforce/codet5-small": t5(512, 2048, 6, 8, vocab_size=32100),
            "Salesforce/codet5-base": {**T5_BASE, "vocab_size": 32100},
        },
        inputs="text2text",
    ),
    Group(
        "T5ForConditionalGeneration",
        "time_series_forecasting",
        "apache-2.0",
        {
            "amazon/chronos-t5-tiny": t5(256, 1024, 4, 4, vocab_size=4096),
            "amazon/chronos-t5-small": t5(512, 2048, 6, 8, vocab_size=4096),
            "amazon/chronos-t5-base": {**T5_BASE, "vocab_size": 4096},
        },
        inputs="text2text",
    ),
    Group(
        "MT5ForConditionalGeneration",
        "text2text_generation",
        "apache-2.0",
        {
            "google/mt5-small": {},
            "google/mt5-base": t5(768, 2048, 12, 12),
        },
        inputs="text2text",
    ),
    Group(
        "BartForConditionalGeneration",
        "summarization",
        "apache-2.0",
        {
            "facebook/bart-base": bart(768, 6, 6, 12),
            "facebook/bart-large": {},
            "facebook/bart-large-cnn": {"vocab_size": 50264},
            "facebook/bart-large-xsum": {"vocab_size": 50264},
            "sshleifer/distilbart-cnn-12-6": {"vocab_size": 50264, "decoder_layers": 6},
        },
        inputs="text2text",
    ),
    Group(
        "BartForSequenceClassification",
        "text_classification",
        "mit",
        {"facebook/bart-large-mnli": {"num_labels": 3}},
        inputs="text_with_end",
    ),
    Group(
        "PegasusForConditionalGeneration",
        "summarization",
        "apache-2.0",
        {
            "google/pegasus-xsum": pegasus(max_position_embeddings=512),
            "google/pegasus-cnn_dailymail": pegasus(),
        },
        inputs="text2text",
    ),
    Group(
        "MarianMTModel",
        "translation",
        "cc-by-4.0",
        {
            "Helsinki-NLP/opus-mt-en-de": marian(58101),
            "Helsinki-NLP/opus-mt-de-en": marian(58101),
            "Helsinki-NLP/opus-mt-en-fr": marian(59514),
            "Helsinki-NLP/opus-mt-fr-en": marian(59514),
            "Helsinki-NLP/opus-mt-en-es": marian(65001),
            "Helsinki-NLP/opus-mt-es-en": marian(65001),
            "Helsinki-NLP/opus-mt-en-zh": marian(65001),
            "Helsinki-NLP/opus-mt-zh-en": marian(65001),
            "Helsinki-NLP/opus-mt-ru-en": marian(62518),
        },
        inputs="text2text",
    ),
    Group(
        "M2M100ForConditionalGeneration",
        "translation",
        "mit",
        {
            "facebook/m2m100_418M": {},
            "facebook/nllb-200-distilled-600M": {"vocab_size": 256206},
        },
        inputs="text2text",
    ),
    Group(
        "MBartForConditionalGeneration",
        "translation",
        "mit",
        {
            "facebook/mbart-large-50-many-to-many-mmt": {
                "vocab_size": 250054,
                "activation_function": "relu",
                "scale_embedding": True,
            },
            "facebook/mbart-large-cc25": {"vocab_size": 250027, "scale_embedding": True},
        },
        inputs="text2text",
    ),
    Group(
        "BlenderbotForConditionalGeneration",
        "text2text_generation",
        "apache-2.0",
        {"facebook/blenderbot-400M-distill": bart(1280, 2, 12, 32, scale_embedding=True)},
        inputs="text2text",
    ),
    Group(
        "BlenderbotSmallForConditionalGeneration",
        "text2text_generation",
        "apache-2.0",
        {
            "facebook/blenderbot_small-90M": {
                "vocab_size": 54944,
                "scale_embedding": True,
            }
        },
        inputs="text2text",
    ),
    # Images
    Group(
        "ViTForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "google/vit-base-patch16-224": {"num_labels": 1000},
            "google/vit-base-patch16-384": {"image_size": 384, "num_labels": 1000},
            "google/vit-base-patch32-384": {
                "image_size": 384,
                "patch_size": 32,
                "num_labels": 1000,
            },
            "google/vit-large-patch16-224": {**VIT_LARGE, "num_labels": 1000},
            "facebook/deit-tiny-patch16-224": bert(192, 12, 3, num_labels=1000),
            "facebook/deit-small-patch16-224": bert(384, 12, 6, num_labels=1000),
            "facebook/deit-base-patch16-224": {"num_labels": 1000},
            "Falconsai/nsfw_image_detection": {},
            "trpakov/vit-face-expression": {"num_labels": 7},
        },
        inputs="image",
    ),
    Group(
        "DeiTForImageClassificationWithTeacher",
        "image_classification",
        "apache-2.0",
        {
            "facebook/deit-tiny-distilled-patch16-224": bert(192, 12, 3, num_labels=1000),
            "facebook/deit-base-distilled-patch16-224": {"num_labels": 1000},
        },
        inputs="image",
    ),
    Group(
        "ViTModel",
        "image_feature_extraction",
        "apache-2.0",
        {
            "google/vit-base-patch16-224-in21k": {},
            "google/vit-large-patch16-224-in21k": VIT_LARGE,
            "facebook/dino-vits16": bert(384, 12, 6),
            "facebook/dino-vitb16": {},
            "facebook/dino-vits8": bert(384, 12, 6, patch_size=8),
        },
        inputs="image",
    ),
    Group(
        "Dinov2Model",
        "image_feature_extraction",
        "apache-2.0",
        {
            "facebook/dinov2-small": {
                "hidden_size": 384,
                "num_attention_heads": 6,
                "image_size": 518,
            },
            "facebook/dinov2-base": {"image_size": 518},
            "facebook/dinov2-large": {
                "hidden_size": 1024,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "image_size": 518,
            },
        },
        inputs="image",
        size=(224, 224),
    ),
    Group(
        "BeitForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "microsoft/beit-base-patch16-224": {
                "use_relative_position_bias": True,
                "num_labels": 1000,
            },
            "microsoft/beit-base-patch16-224-pt22k-ft22k": {
                "use_relative_position_bias": True,
                "num_labels": 21841,
            },
        },
        inputs="image",
    ),
    Group(
        "SwinForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "microsoft/swin-tiny-patch4-window7-224": {"num_labels": 1000},
            "microsoft/swin-small-patch4-window7-224": swin(96, [2, 2, 18, 2], num_labels=1000),
            "microsoft/swin-base-patch4-window7-224": swin(128, [2, 2, 18, 2], num_labels=1000),
            "microsoft/swin-large-patch4-window7-224": swin(192, [2, 2, 18, 2], num_labels=1000),
        },
        inputs="image",
        size=(224, 224),
    ),
    Group(
        "Swinv2ForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "microsoft/swinv2-tiny-patch4-window8-256": swin(
                96, [2, 2, 6, 2], image_size=256, window_size=8, num_labels=1000
            ),
            "microsoft/swinv2-base-patch4-window8-256": swin(
                128, [2, 2, 18, 2], image_size=256, window_size=8, num_labels=1000
            ),
        },
        inputs="image",
        size=(256, 256),
    ),
    Group(
        "ConvNextForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "facebook/convnext-tiny-224": {"num_labels": 1000},
            "facebook/convnext-base-224": convnext(128, [3, 3, 27, 3], num_labels=1000),
            "facebook/convnext-large-224": convnext(192, [3, 3, 27, 3], num_labels=1000),
        },
        inputs="image",
        size=(224, 224),
    ),
    Group(
        "ConvNextV2ForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "facebook/convnextv2-tiny-1k-224": {"num_labels": 1000},
            "facebook/convnextv2-base-1k-224": convnext(128, [3, 3, 27, 3], num_labels=1000),
        },
        inputs="image",
        size=(224, 224),
    ),
    Group(
        "ResNetForImageClassification",
        "image_classification",
        "apache-2.0",
        {
            "microsoft/resnet-18": {
                "hidden_sizes": [64, 128, 256, 512],
                "depths": [2, 2, 2, 2],
                "layer_type": "basic",
                "num_labels": 1000,
            },
            "microsoft/resnet-50": {"num_labels": 1000},
            "microsoft/resnet-101": {"depths": [3, 4, 23, 3], "num_labels": 1000},
            "microsoft/resnet-152": {"depths": [3, 8, 36, 3], "num_labels": 1000},
        },
        inputs="image",
        size=(224, 224),
    ),
    Group(
        "MobileNetV2ForImageClassification",
        "image_classification",
        "other",
        {"google/mobilenet_v2_1.0_224": {"num_labels": 1001}},
        inputs="image",
        size=(224, 224),
    ),
    Group(
        "MobileViTForImageClassification",
        "image_classification",
        "other",
        {"apple/mobilevit-small": {"num_labels": 1000}},
        inputs="image",
        size=(256, 256),
    ),
    Group(
        "SegformerForSemanticSegmentation",
        "semantic_segmentation",
        "other",
        {
            "nvidia/segformer-b0-finetuned-ade-512-512": {"num_labels": 150},
            "nvidia/segformer-b1-finetuned-ade-512-512": segformer(
                [64, 128, 320, 512], [2, 2, 2, 2], 256, num_labels=150
            ),
            "nvidia/segformer-b2-finetuned-ade-512-512": segformer(
                [64, 128, 320, 512], [3, 4, 6, 3], 768, num_labels=150
            ),
            "mattmdjaga/segformer_b2_clothes": segformer(
                [64, 128, 320, 512], [3, 4, 6, 3], 768, num_labels=18
            ),
        },
        inputs="image",
        size=(512, 512),
    ),
    Group(
        "SegformerForImageClassification",
        "image_classification",
        "other",
        {"nvidia/mit-b0": {"num_labels": 1000}},
        inputs="image",
        size=(512, 512),
    ),
    Group(
        "DetrForObjectDetection",
        "object_detection",
        "apache-2.0",
        {
            "facebook/detr-resnet-50": {"num_labels": 91},
            "facebook/detr-resnet-101": {
                "backbone_config": {
                    "model_type": "timm_backbone",
                    "backbone": "resnet101",
                    "out_indices": [1, 2, 3, 4],
                },
                "num_labels": 91,
            },
        },
        inputs="image",
        size=(800, 1066),
    ),
    Group(
        "TableTransformerForObjectDetection",
        "object_detection",
        "mit",
        {
            "microsoft/table-transformer-detection": {
                "backbone_config": {
                    "model_type": "timm_backbone",
                    "backbone": "resnet18",
                    "out_indices": [1, 2, 3, 4],
                },
                "num_queries": 15,
                "num_labels": 2,
            }
        },
        inputs="image",
        size=(800, 1000),
    ),
    Group(
        "YolosForObjectDetection",
        "object_detection",
        "apache-2.0",
        {
            "hustvl/yolos-tiny": bert(
                192,
                12,
                3,
                image_size=[800, 1333],
                use_mid_position_embeddings=False,
                num_labels=91,
            ),
            "hustvl/yolos-small": bert(384, 12, 6, image_size=[512, 864], num_labels=91),
        },
        inputs="image",
        size=(512, 864),
    ),
    Group(
        "DPTForDepthEstimation",
        "depth_estimation",
        "apache-2.0",
        {
            "Intel/dpt-large": bert(
                1024,
                24,
                16,
                backbone_out_indices=[5, 11, 17, 23],
                neck_hidden_sizes=[256, 512, 1024, 1024],
            )
        },
        inputs="image",
    ),
    Group(
        "DepthAnythingForDepthEstimation",
        "depth_estimation",
        "apache-2.0",
        {
            "LiheYoung/depth-anything-small-hf": {},
            "depth-anything/Depth-Anything-V2-Small-hf": {
                "backbone_config": {
                    "model_type": "dinov2",
                    "hidden_size": 384,
                    "num_attention_heads": 6,
                    "image_size": 518,
                    "out_indices": [3, 6, 9, 12],
                    "reshape_hidden_states": False,
                }
            },
        },
        inputs="image",
        size=(518, 518),
    ),
    # Images and text
    Group(
        "CLIPModel",
        "zero_shot_image_classification",
        "mit",
        {
            "openai/clip-vit-base-patch32": {},
            "openai/clip-vit-base-patch16": clip(CLIP_TEXT, {"patch_size": 16}, 512),
            "openai/clip-vit-large-patch14": clip(
                bert(768, 12, 12), {**VIT_LARGE, "patch_size": 14}, 768
            ),
            "openai/clip-vit-large-patch14-336": clip(
                bert(768, 12, 12), {**VIT_LARGE, "patch_size": 14, "image_size": 336}, 768
            ),
            "laion/CLIP-ViT-B-32-laion2B-s34B-b79K": clip(CLIP_TEXT, {}, 512, hidden_act="gelu"),
            "laion/CLIP-ViT-H-14-laion2B-s32B-b79K": clip(
                bert(1024, 24, 16),
                bert(1280, 32, 16, patch_size=14),
                1024,
                hidden_act="gelu",
            ),
        },
        inputs="image_and_text",
    ),
    Group(
        "SiglipModel",
        "zero_shot_image_classification",
        "apache-2.0",
        {
            "google/siglip-base-patch16-224": {},
            "google/siglip-base-patch16-384": siglip(image_size=384),
            "google/siglip-so400m-patch14-384": {
                "text_config": {**bert(1152, 27, 16), "intermediate_size": 4304},
                "vision_config": {
                    **bert(1152, 27, 16, image_size=384, patch_size=14),
                    "intermediate_size": 4304,
                },
            },
            "google/siglip2-base-patch16-224": {"text_config": {"vocab_size": 256000}},
        },
        inputs="image_and_text",
    ),
    Group(
        "BlipForConditionalGeneration",
        "image_to_text",
        "bsd-3-clause",
        {
            "Salesforce/blip-image-captioning-base": {
                "text_config": {"encoder_hidden_size": 768},
                "vision_config": {"image_size": 384},
            },
            "Salesforce/blip-image-captioning-large": {
                "text_config": {"encoder_hidden_size": 1024},
                "vision_config": {**VIT_LARGE, "image_size": 384},
            },
        },
        inputs="caption",
    ),
    Group(
        "VisionEncoderDecoderModel",
        "image_to_text",
        "mit",
        {
            "microsoft/trocr-base-handwritten": {
                "encoder": {"model_type": "vit", "image_size": 384, "qkv_bias": False},
                "decoder": {
                    "model_type": "trocr",
                    "cross_attention_hidden_size": 768,
                    "is_decoder": True,
                    "add_cross_attention": True,
                },
            },
            "microsoft/trocr-base-printed": {
                "encoder": {"model_type": "vit", "image_size": 384, "qkv_bias": False},
                "decoder": {
                    "model_type": "trocr",
                    "cross_attention_hidden_size": 768,
                    "is_decoder": True,
                    "add_cross_attention": True,
                },
            },
            "nlpconnect/vit-gpt2-image-captioning": VIT_GPT2,
        },
        inputs="image_to_text",
    ),
    Group(
        "ViltForQuestionAnswering",
        "visual_question_answering",
        "apache-2.0",
        {"dandelin/vilt-b32-finetuned-vqa": {"image_size": 384, "num_labels": 3129}},
        inputs="question_and_image",
    ),
    Group(
        "LayoutLMModel",
        "feature_extraction",
        "mit",
        {"microsoft/layoutlm-base-uncased": {}},
        inputs="boxes",
    ),
    Group(
        "LayoutLMv3Model",
        "feature_extraction",
        "cc-by-nc-sa-4.0",
        {
            "microsoft/layoutlmv3-base": {
                "vocab_size": 50265,
                "max_position_embeddings": 514,
                "type_vocab_size": 1,
            }
        },
        inputs="boxes_and_image",
    ),
    # Audio
    Group(
        "WhisperForConditionalGeneration",
        "automatic_speech_recognition",
        "apache-2.0",
        {
            "openai/whisper-tiny": {},
            "openai/whisper-base": bart(512, 6, 6, 8),
            "openai/whisper-small": bart(768, 12, 12, 12),
            "openai/whisper-medium": bart(1024, 24, 24, 16),
            "openai/whisper-large-v2": bart(1280, 32, 32, 20),
            "openai/whisper-large-v3": bart(1280, 32, 32, 20, num_mel_bins=128, vocab_size=51866),
            "openai/whisper-large-v3-turbo": bart(
                1280, 32, 4, 20, num_mel_bins=128, vocab_size=51866
            ),
            "distil-whisper/distil-large-v3": bart(
                1280, 32, 2, 20, num_mel_bins=128, vocab_size=51866
            ),
            "openai/whisper-tiny.en": {"vocab_size": 51864},
            "openai/whisper-base.en": bart(512, 6, 6, 8, vocab_size=51864),
        },
        inputs="whisper",
    ),
    Group(
        "Wav2Vec2ForCTC",
        "automatic_speech_recognition",
        "apache-2.0",
        {
            "facebook/wav2vec2-base-960h": {},
            "facebook/wav2vec2-large-960h": bert(1024, 24, 16),
            "facebook/wav2vec2-large-960h-lv60-self": wav2vec2_large(),
            "jonatasgrosman/wav2vec2-large-xlsr-53-english": wav2vec2_large(vocab_size=33),
        },
        inputs="sound",
    ),
    Group(
        "Wav2Vec2Model",
        "feature_extraction",
        "apache-2.0",
        {
            "facebook/wav2vec2-base": {},
            "facebook/wav2vec2-large-xlsr-53": wav2vec2_large(),
            "facebook/wav2vec2-xls-r-300m": wav2vec2_large(),
        },
        inputs="sound",
    ),
    Group(
        "HubertModel",
        "feature_extraction",
        "apache-2.0",
        {"facebook/hubert-base-ls960": {}},
        inputs="sound",
    ),
    Group(
        "HubertForCTC",
        "automatic_speech_recognition",
        "apache-2.0",
        {"facebook/hubert-large-ls960-ft": wav2vec2_large()},
        inputs="sound",
    ),
    Group(
        "WavLMModel",
        "feature_extraction",
        "mit",
        {
            "microsoft/wavlm-base": {},
            "microsoft/wavlm-base-plus": {},
            "microsoft/wavlm-large": wav2vec2_large(conv_bias=False),
        },
        inputs="sound",
    ),
    Group(
        "ASTForAudioClassification",
        "audio_classification",
        "bsd-3-clause",
        {"MIT/ast-finetuned-audioset-10-10-0.4593": {"num_labels": 527}},
        inputs="spectrogram",
    ),
    Group(
        "ClapModel",
        "zero_shot_audio_classification",
        "apache-2.0",
        {"laion/clap-htsat-unfused": {}},
        inputs="sound_and_text",
    ),
    Group(
        "Speech2TextForConditionalGeneration",
        "automatic_speech_recognition",
        "mit",
        {"facebook/s2t-small-librispeech-asr": {}},
        inputs="features_to_text",
    ),
    # Video
    Group(
        "TimesformerForVideoClassification",
        "video_classification",
        "cc-by-nc-4.0",
        {
            "facebook/timesformer-base-finetuned-k400": {"num_labels": 400},
            "facebook/timesformer-base-finetuned-k600": {"num_labels": 600},
        },
        inputs="video",
    ),
    Group(
        "VideoMAEForVideoClassification",
        "video_classification",
        "cc-by-nc-4.0",
        {"MCG-NJU/videomae-base-finetuned-kinetics": {"num_labels": 400}},
        inputs="video",
    ),
    Group(
        "VivitForVideoClassification",
        "video_classification",
        "mit",
        {"google/vivit-b-16x2-kinetics400": {"num_labels": 400}},
        inputs="video",
    ),
]

LICENSES = {
    "nlpaueb/legal-bert-base-uncased": "cc-by-sa-4.0",
    "emilyalsentzer/Bio_ClinicalBERT": "mit",
    "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext": "mit",
    "neuralmind/bert-base-portuguese-cased": "mit",
    "dbmdz/bert-base-turkish-cased": "mit",
    "google-bert/bert-base-german-cased": "mit",
    "tohoku-nlp/bert-base-japanese": "cc-by-sa-4.0",
    "sentence-transformers/all-MiniLM-L6-v2": "apache-2.0",
    "sentence-transformers/all-MiniLM-L12-v2": "apache-2.0",
    "sentence-transformers/paraphrase-MiniLM-L6-v2": "apache-2.0",
    "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2": "apache-2.0",
    "sentence-transformers/paraphrase-multilingual-mpnet-base-v2": "apache-2.0",
    "sentence-transformers/LaBSE": "apache-2.0",
    "mixedbread-ai/mxbai-embed-large-v1": "apache-2.0",
    "Snowflake/snowflake-arctic-embed-xs": "apache-2.0",
    "Snowflake/snowflake-arctic-embed-m": "apache-2.0",
    "allenai/specter": "apache-2.0",
    "deepset/minilm-uncased-squad2": "cc-by-4.0",
    "distilbert/distilroberta-base": "apache-2.0",
    "distilbert/distilgpt2": "apache-2.0",
    "cerebras/Cerebras-GPT-111M": "apache-2.0",
    "cardiffnlp/twitter-roberta-base-sentiment-latest": "cc-by-4.0",
    "BAAI/bge-reranker-base": "mit",
    "BAAI/bge-reranker-large": "mit",
    "papluca/xlm-roberta-base-language-detection": "mit",
    "MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli": "mit",
    "facebook/bart-large-cnn": "mit",
    "facebook/bart-large-xsum": "mit",
    "facebook/nllb-200-distilled-600M": "cc-by-nc-4.0",
    "distil-whisper/distil-large-v3": "mit",
    "openai/whisper-large-v3-turbo": "mit",
    "nlpconnect/vit-gpt2-image-captioning": "apache-2.0",
    "mattmdjaga/segformer_b2_clothes": "mit",
    "Helsinki-NLP/opus-mt-fr-en": "apache-2.0",
    "Helsinki-NLP/opus-mt-en-fr": "apache-2.0",
    "Helsinki-NLP/opus-mt-en-es": "apache-2.0",
    "Helsinki-NLP/opus-mt-es-en": "apache-2.0",
    "Helsinki-NLP/opus-mt-en-zh": "apache-2.0",
    "Helsinki-NLP/opus-mt-de-en": "apache-2.0",
}
"""The licenses of checkpoints that differ from the rest of their group."""

PUBLISHED = {
    "google-bert/bert-base-uncased": 109_514_298,
    "google-bert/bert-large-uncased": 335_174_458,
    "prajjwal1/bert-tiny": 4_385_920,
    "sentence-transformers/all-MiniLM-L6-v2": 22_713_216,
    "sentence-transformers/all-MiniLM-L12-v2": 33_360_000,
    "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2": 117_653_760,
    "sentence-transformers/LaBSE": 470_926_848,
    "BAAI/bge-small-en-v1.5": 33_360_000,
    "BAAI/bge-base-en-v1.5": 109_482_240,
    "BAAI/bge-large-en-v1.5": 335_141_888,
    "BAAI/bge-m3": 567_754_752,
    "BAAI/bge-reranker-base": 278_044_417,
    "BAAI/bge-reranker-v2-m3": 567_755_777,
    "cross-encoder/ms-marco-MiniLM-L6-v2": 22_713_601,
    "dslim/bert-base-NER": 107_726_601,
    "FacebookAI/roberta-base": 124_697_433,
    "FacebookAI/roberta-large": 355_412_057,
    "microsoft/codebert-base": 124_645_632,
    "FacebookAI/xlm-roberta-base": 278_295_186,
    "FacebookAI/xlm-roberta-large": 560_142_482,
    "distilbert/distilbert-base-uncased": 66_985_530,
    "sentence-transformers/msmarco-distilbert-base-v4": 66_362_880,
    "distilbert/distilbert-base-uncased-finetuned-sst-2-english": 66_955_010,
    "microsoft/deberta-v3-base": 183_831_552,
    "microsoft/deberta-v3-small": 141_304_320,
    "microsoft/deberta-v3-xsmall": 70_682_112,
    "microsoft/deberta-v3-large": 434_012_160,
    "sentence-transformers/all-mpnet-base-v2": 109_486_464,
    "nomic-ai/nomic-embed-text-v1.5": 136_731_648,
    "Qwen/Qwen3-Embedding-0.6B": 595_776_512,
    "openai-community/gpt2": 124_439_808,
    "openai-community/gpt2-medium": 354_823_168,
    "openai-community/gpt2-large": 774_030_080,
    "openai-community/gpt2-xl": 1_557_611_200,
    "distilbert/distilgpt2": 81_912_576,
    "facebook/opt-125m": 125_239_296,
    "facebook/opt-350m": 331_196_416,
    "facebook/opt-1.3b": 1_315_758_080,
    "bigscience/bloom-560m": 559_214_592,
    "EleutherAI/pythia-70m": 70_426_624,
    "EleutherAI/pythia-160m": 162_322_944,
    "EleutherAI/pythia-410m": 405_334_016,
    "EleutherAI/gpt-neo-125m": 125_198_592,
    "EleutherAI/gpt-neo-1.3B": 1_315_575_808,
    "openai-community/openai-gpt": 116_534_784,
    "HuggingFaceTB/SmolLM2-135M": 134_515_008,
    "HuggingFaceTB/SmolLM2-360M": 361_821_120,
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": 1_100_048_384,
    "Qwen/Qwen2.5-0.5B-Instruct": 494_032_768,
    "Qwen/Qwen2.5-1.5B-Instruct": 1_543_714_304,
    "Qwen/Qwen3-0.6B": 596_049_920,
    "google-t5/t5-small": 60_506_624,
    "google-t5/t5-base": 222_903_552,
    "google-t5/t5-large": 737_668_096,
    # The library lets these share their output layer with their embedding; as published, they
    # have one of their own
    "google/flan-t5-small": 76_961_152 - 32_128 * 512,
    "google/flan-t5-base": 247_577_856 - 32_128 * 768,
    "google/flan-t5-large": 783_150_080 - 32_128 * 1_024,
    "google/flan-t5-xl": 2_849_757_184 - 32_128 * 2_048,
    "google/byt5-small": 299_637_760 - 384 * 1_472,
    "google/mt5-small": 300_176_768 - 250_112 * 512,
    "google/mt5-base": 582_401_280 - 250_112 * 768,
    "facebook/bart-base": 139_420_416,
    "facebook/bart-large": 406_291_456,
    "facebook/bart-large-cnn": 406_290_432,
    "facebook/bart-large-mnli": 407_344_131,
    "facebook/m2m100_418M": 483_905_536,
    "facebook/nllb-200-distilled-600M": 615_073_792,
    "facebook/mbart-large-50-many-to-many-mmt": 610_879_488,
    "facebook/blenderbot-400M-distill": 364_802_560,
    "google/vit-base-patch16-224": 86_567_656,
    "google/vit-base-patch16-384": 86_859_496,
    "google/vit-large-patch16-224": 304_326_632,
    "facebook/deit-tiny-patch16-224": 5_717_416,
    "facebook/deit-small-patch16-224": 22_050_664,
    "facebook/deit-base-distilled-patch16-224": 87_338_192,
    "google/vit-base-patch16-224-in21k": 86_389_248,
    "facebook/dinov2-base": 86_580_480,
    "facebook/dinov2-small": 22_056_576,
    "facebook/dinov2-large": 304_368_640,
    "microsoft/swin-tiny-patch4-window7-224": 28_288_354,
    "microsoft/swin-base-patch4-window7-224": 87_768_224,
    "facebook/convnext-tiny-224": 28_589_128,
    "facebook/convnext-base-224": 88_591_464,
    "microsoft/resnet-18": 11_689_512,
    "microsoft/resnet-50": 25_557_032,
    "microsoft/resnet-101": 44_549_160,
    "nvidia/segformer-b0-finetuned-ade-512-512": 3_752_694,
    "hustvl/yolos-tiny": 6_488_736,
    "openai/clip-vit-base-patch32": 151_277_313,
    "openai/clip-vit-base-patch16": 149_620_737,
    "openai/clip-vit-large-patch14": 427_616_513,
    "openai/clip-vit-large-patch14-336": 427_944_193,
    "google/siglip-base-patch16-224": 203_155_970,
    "openai/whisper-tiny": 37_760_640,
    "openai/whisper-base": 72_593_920,
    "openai/whisper-small": 241_734_912,
    "openai/whisper-medium": 763_857_920,
    "openai/whisper-large-v2": 1_543_304_960,
    "openai/whisper-large-v3": 1_543_490_560,
    "openai/whisper-large-v3-turbo": 808_878_080,
    "facebook/wav2vec2-base-960h": 94_396_320,
    "facebook/hubert-base-ls960": 94_371_712,
}
"""The published number of parameters of some of them. A survey that finds another number fails,
because a value of the configuration must be wrong."""
