"""Well-known language models, and the values of their published configurations.

Data only. The corpus ``llm`` has whole models, ``llm_layer`` single layers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpora.sources.checkpoints import Figures, bert, gpt2, llama, opt

__all__ = ["FAMILIES", "PUBLISHED", "Family"]


@dataclass(frozen=True)
class Family:
    """The models of one class of transformers."""

    model: str
    license: str
    members: Mapping[str, tuple[str, Figures]]
    """The checkpoint and the configuration of each, by its name in scripts."""


def pythia(hidden: int, layers: int, heads: int, vocabulary: int = 50304) -> Figures:
    """Pythia, by EleutherAI."""
    return bert(hidden, layers, heads, vocab_size=vocabulary)


def gpt_neo(hidden: int, layers: int, heads: int) -> Figures:
    """GPT-Neo, with local attention in every other layer."""
    return {
        "hidden_size": hidden,
        "num_layers": layers,
        "num_heads": heads,
        "attention_types": [[["global", "local"], layers // 2]],
    }


def bloom(hidden: int, layers: int, heads: int) -> Figures:
    """BLOOM."""
    return {"hidden_size": hidden, "n_layer": layers, "n_head": heads}


def cerebras(embedding: int, layers: int, heads: int) -> Figures:
    """As GPT-2, for longer texts."""
    return gpt2(
        embedding,
        layers,
        heads,
        n_positions=2048,
        n_inner=4 * embedding,
        activation_function="gelu",
    )


def smol(hidden: int, inner: int, layers: int, heads: int, shared: int, *, edition: int) -> Figures:
    """SmolLM, whose two versions have the same sizes."""
    theta = 1e4
    if edition == 2:
        theta = 1.3e5 if hidden == 2048 else 1e5
    return llama(
        hidden,
        inner,
        layers,
        heads,
        shared,
        theta=theta,
        vocab_size=49152,
        max_position_embeddings=2048 if edition == 1 else 8192,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
    )


def llama_2(hidden: int, inner: int, layers: int, heads: int, shared: int, **more: Any) -> Figures:
    """Llama 2."""
    own = {"max_position_embeddings": 4096, "rms_norm_eps": 1e-5}
    return llama(hidden, inner, layers, heads, shared, theta=1e4, **{**own, **more})


def llama_3(hidden: int, inner: int, layers: int, heads: int, shared: int, **more: Any) -> Figures:
    """Llama 3."""
    own = {"vocab_size": 128256, "max_position_embeddings": 8192, "rms_norm_eps": 1e-5}
    return llama(hidden, inner, layers, heads, shared, theta=5e5, **{**own, **more})


def stretched(factor: float) -> Figures:
    """The RoPE scaling of Llama 3.1 and later, for longer contexts."""
    return {
        "max_position_embeddings": 131072,
        "rope_parameters": {
            "rope_type": "llama3",
            "rope_theta": 500000.0,
            "factor": factor,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    }


def qwen(hidden: int, inner: int, layers: int, heads: int, shared: int, **more: Any) -> Figures:
    """Qwen, in the versions that are here."""
    return llama(hidden, inner, layers, heads, shared, theta=1e6, **more)


def gemma(hidden: int, inner: int, layers: int, heads: int, shared: int, **more: Any) -> Figures:
    """Gemma; the position embedding is the same in all sizes of a version."""
    figures = llama(hidden, inner, layers, heads, shared, theta=1e4, **more)
    del figures["rope_parameters"]
    return figures


def granite(hidden: int, inner: int, layers: int, heads: int, shared: int, **more: Any) -> Figures:
    """Granite, which scales its residual connections."""
    own = {
        "vocab_size": 49155,
        "max_position_embeddings": 4096,
        "rms_norm_eps": 1e-5,
        "embedding_multiplier": 12.0,
        "residual_multiplier": 0.22,
        "tie_word_embeddings": True,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "pad_token_id": 0,
    }
    return llama(hidden, inner, layers, heads, shared, theta=1e4, **{**own, **more})


STARCODER = {"max_position_embeddings": 16384, "bos_token_id": 0, "eos_token_id": 0}
DEEPSEEK_CODER = {
    "vocab_size": 32256,
    "max_position_embeddings": 16384,
    "rope_parameters": {"rope_type": "linear", "rope_theta": 100000.0, "factor": 4.0},
    "bos_token_id": 32013,
    "eos_token_id": 32014,
}
OLMO_2 = {"vocab_size": 100352, "max_position_embeddings": 4096, "rms_norm_eps": 1e-6}
OLMO_2_ENDS = {"pad_token_id": 100277, "eos_token_id": 100257}

FAMILIES = [
    Family(
        "GPT2LMHeadModel",
        "mit",
        {
            "gpt2": ("openai-community/gpt2", {}),
            "gpt2_medium": ("openai-community/gpt2-medium", gpt2(1024, 24, 16)),
            "gpt2_large": ("openai-community/gpt2-large", gpt2(1280, 36, 20)),
            "gpt2_xl": ("openai-community/gpt2-xl", gpt2(1600, 48, 25)),
        },
    ),
    Family(
        "GPT2LMHeadModel",
        "apache-2.0",
        {
            "distilgpt2": ("distilbert/distilgpt2", gpt2(768, 6, 12)),
            "cerebras_gpt_111m": ("cerebras/Cerebras-GPT-111M", cerebras(768, 10, 12)),
            "cerebras_gpt_256m": ("cerebras/Cerebras-GPT-256M", cerebras(1088, 14, 17)),
            "cerebras_gpt_590m": ("cerebras/Cerebras-GPT-590M", cerebras(1536, 18, 12)),
            "cerebras_gpt_1_3b": ("cerebras/Cerebras-GPT-1.3B", cerebras(2048, 24, 16)),
        },
    ),
    Family(
        "OPTForCausalLM",
        "other",
        {
            "opt_125m": ("facebook/opt-125m", opt(768, 12, 12)),
            "opt_350m": (
                "facebook/opt-350m",
                opt(1024, 24, 16, word_embed_proj_dim=512, do_layer_norm_before=False),
            ),
            "opt_1_3b": ("facebook/opt-1.3b", opt(2048, 24, 32)),
            "opt_2_7b": ("facebook/opt-2.7b", opt(2560, 32, 32)),
            "opt_6_7b": ("facebook/opt-6.7b", opt(4096, 32, 32)),
            "opt_13b": ("facebook/opt-13b", opt(5120, 40, 40)),
            "opt_30b": ("facebook/opt-30b", opt(7168, 48, 56)),
            "opt_66b": ("facebook/opt-66b", opt(9216, 64, 72)),
            "opt_175b": ("facebook/opt-175b", opt(12288, 96, 96)),
        },
    ),
    Family(
        "GPTNeoXForCausalLM",
        "apache-2.0",
        {
            "pythia_70m": ("EleutherAI/pythia-70m", pythia(512, 6, 8)),
            "pythia_160m": ("EleutherAI/pythia-160m", pythia(768, 12, 12)),
            "pythia_410m": ("EleutherAI/pythia-410m", pythia(1024, 24, 16)),
            "pythia_1b": ("EleutherAI/pythia-1b", pythia(2048, 16, 8)),
            "pythia_1_4b": ("EleutherAI/pythia-1.4b", pythia(2048, 24, 16)),
            "pythia_2_8b": ("EleutherAI/pythia-2.8b", pythia(2560, 32, 32)),
            "pythia_6_9b": ("EleutherAI/pythia-6.9b", pythia(4096, 32, 32, 50432)),
            "pythia_12b": ("EleutherAI/pythia-12b", pythia(5120, 36, 40, 50688)),
            "gpt_neox_20b": ("EleutherAI/gpt-neox-20b", {"hidden_act": "gelu_fast"}),
        },
    ),
    Family(
        "GPTNeoForCausalLM",
        "mit",
        {
            "gpt_neo_125m": ("EleutherAI/gpt-neo-125m", gpt_neo(768, 12, 12)),
            "gpt_neo_1_3b": ("EleutherAI/gpt-neo-1.3B", gpt_neo(2048, 24, 16)),
            "gpt_neo_2_7b": ("EleutherAI/gpt-neo-2.7B", gpt_neo(2560, 32, 20)),
        },
    ),
    Family("GPTJForCausalLM", "apache-2.0", {"gpt_j_6b": ("EleutherAI/gpt-j-6b", {})}),
    Family(
        "BloomForCausalLM",
        "bigscience-bloom-rail-1.0",
        {
            "bloom_560m": ("bigscience/bloom-560m", bloom(1024, 24, 16)),
            "bloom_1b1": ("bigscience/bloom-1b1", bloom(1536, 24, 16)),
            "bloom_1b7": ("bigscience/bloom-1b7", bloom(2048, 24, 16)),
            "bloom_3b": ("bigscience/bloom-3b", bloom(2560, 30, 32)),
            "bloom_7b1": ("bigscience/bloom-7b1", bloom(4096, 30, 32)),
            "bloom_176b": ("bigscience/bloom", bloom(14336, 70, 112)),
        },
    ),
    Family(
        "LlamaForCausalLM",
        "apache-2.0",
        {
            "tinyllama_1_1b": (
                "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
                llama(2048, 5632, 22, 32, 4, theta=1e4, rms_norm_eps=1e-5),
            ),
            "smollm_135m": ("HuggingFaceTB/SmolLM-135M", smol(576, 1536, 30, 9, 3, edition=1)),
            "smollm_360m": ("HuggingFaceTB/SmolLM-360M", smol(960, 2560, 32, 15, 5, edition=1)),
            "smollm_1_7b": ("HuggingFaceTB/SmolLM-1.7B", smol(2048, 8192, 24, 32, 32, edition=1)),
            "smollm2_135m": ("HuggingFaceTB/SmolLM2-135M", smol(576, 1536, 30, 9, 3, edition=2)),
            "smollm2_360m": ("HuggingFaceTB/SmolLM2-360M", smol(960, 2560, 32, 15, 5, edition=2)),
            "smollm2_1_7b": (
                "HuggingFaceTB/SmolLM2-1.7B",
                smol(2048, 8192, 24, 32, 32, edition=2),
            ),
            "open_llama_3b": (
                "openlm-research/open_llama_3b",
                llama(3200, 8640, 26, 32, 32, theta=1e4),
            ),
            "yi_6b": (
                "01-ai/Yi-6B",
                llama(
                    4096,
                    11008,
                    32,
                    32,
                    4,
                    theta=5e6,
                    vocab_size=64000,
                    max_position_embeddings=4096,
                    rms_norm_eps=1e-5,
                ),
            ),
            "yi_34b": (
                "01-ai/Yi-34B",
                llama(
                    7168,
                    20480,
                    60,
                    56,
                    8,
                    theta=5e6,
                    vocab_size=64000,
                    max_position_embeddings=4096,
                    rms_norm_eps=1e-5,
                ),
            ),
        },
    ),
    Family(
        "LlamaForCausalLM",
        "deepseek",
        {
            "deepseek_coder_1_3b": (
                "deepseek-ai/deepseek-coder-1.3b-base",
                {**llama(2048, 5504, 24, 16, 16, theta=1e5), **DEEPSEEK_CODER},
            ),
            "deepseek_coder_6_7b": (
                "deepseek-ai/deepseek-coder-6.7b-base",
                {**llama(4096, 11008, 32, 32, 32, theta=1e5), **DEEPSEEK_CODER},
            ),
            "deepseek_llm_7b": (
                "deepseek-ai/deepseek-llm-7b-base",
                llama(
                    4096,
                    11008,
                    30,
                    32,
                    32,
                    theta=1e4,
                    vocab_size=102400,
                    max_position_embeddings=4096,
                    bos_token_id=100000,
                    eos_token_id=100001,
                ),
            ),
        },
    ),
    Family(
        "LlamaForCausalLM",
        "llama2",
        {
            "llama_2_7b": ("meta-llama/Llama-2-7b-hf", llama_2(4096, 11008, 32, 32, 32)),
            "llama_2_13b": ("meta-llama/Llama-2-13b-hf", llama_2(5120, 13824, 40, 40, 40)),
            "llama_2_70b": ("meta-llama/Llama-2-70b-hf", llama_2(8192, 28672, 80, 64, 8)),
            "codellama_7b": (
                "codellama/CodeLlama-7b-hf",
                llama(
                    4096,
                    11008,
                    32,
                    32,
                    32,
                    theta=1e6,
                    vocab_size=32016,
                    max_position_embeddings=16384,
                    rms_norm_eps=1e-5,
                ),
            ),
        },
    ),
    Family(
        "LlamaForCausalLM",
        "llama3",
        {
            "llama_3_8b": ("meta-llama/Meta-Llama-3-8B", llama_3(4096, 14336, 32, 32, 8)),
            "llama_3_70b": ("meta-llama/Meta-Llama-3-70B", llama_3(8192, 28672, 80, 64, 8)),
        },
    ),
    Family(
        "LlamaForCausalLM",
        "llama3.1",
        {
            "llama_3_1_405b": (
                "meta-llama/Llama-3.1-405B",
                llama_3(16384, 53248, 126, 128, 8, **stretched(8.0)),
            ),
        },
    ),
    Family(
        "LlamaForCausalLM",
        "llama3.2",
        {
            "llama_3_2_1b": (
                "meta-llama/Llama-3.2-1B",
                llama_3(2048, 8192, 16, 32, 8, tie_word_embeddings=True, **stretched(32.0)),
            ),
            "llama_3_2_3b": (
                "meta-llama/Llama-3.2-3B",
                llama_3(3072, 8192, 28, 24, 8, tie_word_embeddings=True, **stretched(32.0)),
            ),
        },
    ),
    Family(
        "SmolLM3ForCausalLM",
        "apache-2.0",
        {
            "smollm3_3b": (
                "HuggingFaceTB/SmolLM3-3B-Base",
                {
                    "max_position_embeddings": 65536,
                    "rope_parameters": {"rope_theta": 5000000.0, "rope_type": "default"},
                },
            )
        },
    ),
    Family(
        "Qwen2ForCausalLM",
        "apache-2.0",
        {
            "qwen2_5_0_5b": (
                "Qwen/Qwen2.5-0.5B",
                qwen(896, 4864, 24, 14, 2, tie_word_embeddings=True),
            ),
            "qwen2_5_1_5b": (
                "Qwen/Qwen2.5-1.5B",
                qwen(
                    1536,
                    8960,
                    28,
                    12,
                    2,
                    max_position_embeddings=131072,
                    tie_word_embeddings=True,
                ),
            ),
            "qwen2_5_7b": (
                "Qwen/Qwen2.5-7B",
                qwen(3584, 18944, 28, 28, 4, vocab_size=152064, max_position_embeddings=131072),
            ),
            "qwen2_5_14b": (
                "Qwen/Qwen2.5-14B",
                qwen(
                    5120,
                    13824,
                    48,
                    40,
                    8,
                    vocab_size=152064,
                    max_position_embeddings=131072,
                    rms_norm_eps=1e-5,
                ),
            ),
            "qwen2_5_32b": (
                "Qwen/Qwen2.5-32B",
                qwen(
                    5120,
                    27648,
                    64,
                    40,
                    8,
                    vocab_size=152064,
                    max_position_embeddings=131072,
                    rms_norm_eps=1e-5,
                ),
            ),
        },
    ),
    Family(
        "Qwen2ForCausalLM",
        "qwen-research",
        {
            "qwen2_5_3b": (
                "Qwen/Qwen2.5-3B",
                qwen(2048, 11008, 36, 16, 2, tie_word_embeddings=True),
            )
        },
    ),
    Family(
        "Qwen2ForCausalLM",
        "qwen",
        {
            "qwen2_5_72b": (
                "Qwen/Qwen2.5-72B",
                qwen(
                    8192,
                    29568,
                    80,
                    64,
                    8,
                    vocab_size=152064,
                    max_position_embeddings=131072,
                    rms_norm_eps=1e-5,
                ),
            )
        },
    ),
    Family(
        "Qwen3ForCausalLM",
        "apache-2.0",
        {
            name: (
                f"Qwen/Qwen3-{size}",
                qwen(*sizes, max_position_embeddings=40960, tie_word_embeddings=tied),
            )
            for name, size, sizes, tied in (
                ("qwen3_0_6b", "0.6B", (1024, 3072, 28, 16, 8), True),
                ("qwen3_1_7b", "1.7B", (2048, 6144, 28, 16, 8), True),
                ("qwen3_4b", "4B", (2560, 9728, 36, 32, 8), True),
                ("qwen3_8b", "8B", (4096, 12288, 36, 32, 8), False),
                ("qwen3_14b", "14B", (5120, 17408, 40, 40, 8), False),
                ("qwen3_32b", "32B", (5120, 25600, 64, 64, 8), False),
            )
        },
    ),
    Family(
        "MistralForCausalLM",
        "apache-2.0",
        {
            "mistral_7b_v0_1": (
                "mistralai/Mistral-7B-v0.1",
                llama(
                    4096,
                    14336,
                    32,
                    32,
                    8,
                    theta=1e4,
                    max_position_embeddings=32768,
                    rms_norm_eps=1e-5,
                ),
            ),
            "mistral_7b_v0_3": (
                "mistralai/Mistral-7B-v0.3",
                llama(
                    4096,
                    14336,
                    32,
                    32,
                    8,
                    theta=1e6,
                    vocab_size=32768,
                    max_position_embeddings=32768,
                    rms_norm_eps=1e-5,
                    sliding_window=None,
                ),
            ),
            "mistral_nemo_12b": (
                "mistralai/Mistral-Nemo-Base-2407",
                llama(
                    5120,
                    14336,
                    40,
                    32,
                    8,
                    theta=1e6,
                    head_dim=128,
                    vocab_size=131072,
                    rms_norm_eps=1e-5,
                    sliding_window=None,
                ),
            ),
        },
    ),
    Family(
        "MixtralForCausalLM",
        "apache-2.0",
        {
            "mixtral_8x7b": (
                "mistralai/Mixtral-8x7B-v0.1",
                {"max_position_embeddings": 32768},
            ),
            "mixtral_8x22b": (
                "mistralai/Mixtral-8x22B-v0.1",
                llama(6144, 16384, 56, 48, 8, theta=1e6, max_position_embeddings=65536),
            ),
        },
    ),
    Family(
        "GemmaForCausalLM",
        "gemma",
        {
            "gemma_2b": ("google/gemma-2b", gemma(2048, 16384, 18, 8, 1)),
            "gemma_7b": ("google/gemma-7b", {}),
        },
    ),
    Family(
        "Gemma2ForCausalLM",
        "gemma",
        {
            "gemma_2_2b": ("google/gemma-2-2b", {}),
            "gemma_2_9b": ("google/gemma-2-9b", gemma(3584, 14336, 42, 16, 8)),
            "gemma_2_27b": (
                "google/gemma-2-27b",
                gemma(4608, 36864, 46, 32, 16, head_dim=128, query_pre_attn_scalar=144),
            ),
        },
    ),
    Family(
        "Gemma3ForCausalLM",
        "gemma",
        {
            "gemma_3_270m": (
                "google/gemma-3-270m",
                gemma(
                    640,
                    2048,
                    18,
                    4,
                    1,
                    vocab_size=262144,
                    max_position_embeddings=32768,
                    sliding_window=512,
                ),
            ),
            "gemma_3_1b": (
                "google/gemma-3-1b-pt",
                gemma(
                    1152,
                    6912,
                    26,
                    4,
                    1,
                    vocab_size=262144,
                    max_position_embeddings=32768,
                    sliding_window=512,
                ),
            ),
        },
    ),
    Family(
        "PhiForCausalLM",
        "mit",
        {
            "phi_1_5": ("microsoft/phi-1_5", {}),
            "phi_2": (
                "microsoft/phi-2",
                bert(
                    2560,
                    32,
                    32,
                    rope_parameters={
                        "rope_theta": 10000.0,
                        "partial_rotary_factor": 0.4,
                        "rope_type": "default",
                    },
                ),
            ),
        },
    ),
    Family(
        "Phi3ForCausalLM",
        "mit",
        {
            "phi_3_mini": ("microsoft/Phi-3-mini-4k-instruct", {"sliding_window": 2047}),
            "phi_3_medium": (
                "microsoft/Phi-3-medium-4k-instruct",
                {
                    "hidden_size": 5120,
                    "intermediate_size": 17920,
                    "num_hidden_layers": 40,
                    "num_attention_heads": 40,
                    "num_key_value_heads": 10,
                    "sliding_window": 2047,
                },
            ),
        },
    ),
    Family(
        "FalconForCausalLM",
        "apache-2.0",
        {
            "falcon_rw_1b": (
                "tiiuae/falcon-rw-1b",
                {
                    "vocab_size": 50304,
                    "hidden_size": 2048,
                    "num_hidden_layers": 24,
                    "num_attention_heads": 32,
                    "alibi": True,
                    "multi_query": False,
                    "parallel_attn": False,
                    "bias": True,
                    "bos_token_id": 1,
                    "eos_token_id": 2,
                },
            ),
            "falcon_7b": ("tiiuae/falcon-7b", {}),
            "falcon_40b": (
                "tiiuae/falcon-40b",
                {
                    "hidden_size": 8192,
                    "num_hidden_layers": 60,
                    "num_attention_heads": 128,
                    "num_kv_heads": 8,
                    "new_decoder_architecture": True,
                },
            ),
        },
    ),
    Family(
        "OlmoForCausalLM",
        "apache-2.0",
        {
            "olmo_1b": (
                "allenai/OLMo-1B-hf",
                llama(2048, 8192, 16, 16, 16, theta=1e4, tie_word_embeddings=True),
            ),
            "olmo_7b": ("allenai/OLMo-7B-hf", {}),
        },
    ),
    Family(
        "Olmo2ForCausalLM",
        "apache-2.0",
        {
            "olmo_2_1b": (
                "allenai/OLMo-2-0425-1B",
                llama(2048, 8192, 16, 16, 16, theta=5e5, **OLMO_2, **OLMO_2_ENDS),
            ),
            "olmo_2_7b": (
                "allenai/OLMo-2-1124-7B",
                llama(4096, 11008, 32, 32, 32, theta=5e5, **OLMO_2, **OLMO_2_ENDS),
            ),
        },
    ),
    Family(
        "StableLmForCausalLM",
        "cc-by-sa-4.0",
        {"stablelm_3b": ("stabilityai/stablelm-3b-4e1t", {})},
    ),
    Family(
        "StableLmForCausalLM",
        "other",
        {
            "stablelm_2_1_6b": (
                "stabilityai/stablelm-2-1_6b",
                {
                    "vocab_size": 100352,
                    "hidden_size": 2048,
                    "intermediate_size": 5632,
                    "num_hidden_layers": 24,
                    "use_qkv_bias": True,
                    "bos_token_id": 100257,
                    "eos_token_id": 100257,
                },
            )
        },
    ),
    Family(
        "MptForCausalLM",
        "apache-2.0",
        {
            "mpt_7b": (
                "mosaicml/mpt-7b",
                {"d_model": 4096, "n_heads": 32, "n_layers": 32, "vocab_size": 50432},
            )
        },
    ),
    Family(
        "GraniteForCausalLM",
        "apache-2.0",
        {
            "granite_3_0_2b": (
                "ibm-granite/granite-3.0-2b-base",
                granite(2048, 8192, 40, 32, 8, logits_scaling=8.0, attention_multiplier=0.015625),
            ),
            "granite_3_0_8b": (
                "ibm-granite/granite-3.0-8b-base",
                granite(
                    4096, 12800, 40, 32, 8, logits_scaling=16.0, attention_multiplier=0.0078125
                ),
            ),
        },
    ),
    Family(
        "GPTBigCodeForCausalLM",
        "bigcode-openrail-m",
        {
            "starcoderbase_1b": (
                "bigcode/starcoderbase-1b",
                gpt2(
                    2048,
                    24,
                    16,
                    n_positions=8192,
                    n_inner=8192,
                    vocab_size=49152,
                    bos_token_id=0,
                    eos_token_id=0,
                ),
            )
        },
    ),
    Family(
        "Starcoder2ForCausalLM",
        "bigcode-openrail-m",
        {
            "starcoder2_3b": (
                "bigcode/starcoder2-3b",
                llama(
                    3072,
                    12288,
                    30,
                    24,
                    2,
                    theta=999999.4420358813,
                    sliding_window=4096,
                    **STARCODER,
                ),
            ),
            "starcoder2_7b": (
                "bigcode/starcoder2-7b",
                llama(4608, 18432, 32, 36, 4, theta=1e6, sliding_window=4096, **STARCODER),
            ),
            "starcoder2_15b": (
                "bigcode/starcoder2-15b",
                llama(
                    6144,
                    24576,
                    40,
                    48,
                    4,
                    theta=1e5,
                    sliding_window=4096,
                    tie_word_embeddings=False,
                    **STARCODER,
                ),
            ),
        },
    ),
    Family(
        "CodeGenForCausalLM",
        "bsd-3-clause",
        {
            "codegen_350m": (
                "Salesforce/codegen-350M-mono",
                gpt2(1024, 20, 16, rotary_dim=32, vocab_size=51200),
            ),
            "codegen_2b": (
                "Salesforce/codegen-2B-mono",
                gpt2(2560, 32, 32, rotary_dim=64, vocab_size=51200),
            ),
        },
    ),
    Family("XGLMForCausalLM", "mit", {"xglm_564m": ("facebook/xglm-564M", {})}),
    Family(
        "MambaForCausalLM",
        "apache-2.0",
        {
            f"mamba_{name}": (
                f"state-spaces/mamba-{size}-hf",
                {"hidden_size": hidden, "num_hidden_layers": layers},
            )
            for name, size, hidden, layers in (
                ("130m", "130m", 768, 24),
                ("370m", "370m", 1024, 48),
                ("790m", "790m", 1536, 48),
                ("1_4b", "1.4b", 2048, 48),
                ("2_8b", "2.8b", 2560, 64),
            )
        },
    ),
    Family(
        "DeepseekV3ForCausalLM",
        "deepseek",
        {"deepseek_v3_671b": ("deepseek-ai/DeepSeek-V3", {})},
    ),
]

PUBLISHED = {
    "gpt2": 124_439_808,
    "gpt2_medium": 354_823_168,
    "gpt2_large": 774_030_080,
    "gpt2_xl": 1_557_611_200,
    "distilgpt2": 81_912_576,
    "opt_125m": 125_239_296,
    "opt_350m": 331_196_416,
    "opt_1_3b": 1_315_758_080,
    "opt_2_7b": 2_651_596_800,
    "opt_6_7b": 6_658_473_984,
    "pythia_70m": 70_426_624,
    "pythia_160m": 162_322_944,
    "pythia_410m": 405_334_016,
    "pythia_1b": 1_011_781_632,
    "pythia_1_4b": 1_414_647_808,
    "pythia_2_8b": 2_775_208_960,
    "pythia_6_9b": 6_857_302_016,
    "gpt_neo_125m": 125_198_592,
    "gpt_neo_1_3b": 1_315_575_808,
    "gpt_neo_2_7b": 2_651_307_520,
    "gpt_j_6b": 6_050_882_784,
    "bloom_560m": 559_214_592,
    "bloom_1b1": 1_065_314_304,
    "bloom_1b7": 1_722_408_960,
    "bloom_3b": 3_002_557_440,
    "bloom_7b1": 7_069_016_064,
    "tinyllama_1_1b": 1_100_048_384,
    "smollm_135m": 134_515_008,
    "smollm2_135m": 134_515_008,
    "smollm2_360m": 361_821_120,
    "smollm2_1_7b": 1_711_376_384,
    "smollm3_3b": 3_075_098_624,
    "open_llama_3b": 3_426_473_600,
    "yi_6b": 6_061_035_520,
    "deepseek_coder_1_3b": 1_346_471_936,
    "llama_2_7b": 6_738_415_616,
    "codellama_7b": 6_738_546_688,
    "llama_3_8b": 8_030_261_248,
    "llama_3_2_1b": 1_235_814_400,
    "llama_3_2_3b": 3_212_749_824,
    "qwen2_5_0_5b": 494_032_768,
    "qwen2_5_1_5b": 1_543_714_304,
    "qwen2_5_3b": 3_085_938_688,
    "qwen2_5_7b": 7_615_616_512,
    "qwen3_0_6b": 596_049_920,
    "qwen3_4b": 4_022_468_096,
    "qwen3_8b": 8_190_735_360,
    "mistral_7b_v0_1": 7_241_732_096,
    "mistral_7b_v0_3": 7_248_023_552,
    "gemma_2b": 2_506_172_416,
    "gemma_7b": 8_537_680_896,
    "gemma_2_2b": 2_614_341_888,
    "gemma_3_270m": 268_098_176,
    "gemma_3_1b": 999_885_952,
    "phi_1_5": 1_418_270_720,
    "phi_2": 2_779_683_840,
    "phi_3_mini": 3_821_079_552,
    "falcon_rw_1b": 1_311_625_216,
    "falcon_7b": 6_921_720_704,
    "olmo_1b": 1_176_764_416,
    "olmo_7b": 6_888_095_744,
    "olmo_2_1b": 1_484_916_736,
    "olmo_2_7b": 7_298_617_344,
    "stablelm_3b": 2_795_443_200,
    "stablelm_2_1_6b": 1_644_515_328,
    "mpt_7b": 6_649_286_656,
    "starcoder2_3b": 3_030_371_328,
    "starcoder2_7b": 7_173_923_840,
    "starcoderbase_1b": 1_137_207_296,
    "xglm_564m": 564_463_616,
    "deepseek_coder_6_7b": 6_740_512_768,
    "deepseek_llm_7b": 6_910_365_696,
    "pythia_12b": 11_846_072_320,
    "gpt_neox_20b": 20_554_567_680,
    "bloom_176b": 176_247_271_424,
    "yi_34b": 34_388_917_248,
    "llama_2_13b": 13_015_864_320,
    "llama_2_70b": 68_976_648_192,
    "llama_3_70b": 70_553_706_496,
    "llama_3_1_405b": 405_853_388_800,
    "qwen2_5_14b": 14_770_033_664,
    "qwen2_5_32b": 32_763_876_352,
    "qwen2_5_72b": 72_706_203_648,
    "qwen3_14b": 14_768_307_200,
    "qwen3_32b": 32_762_123_264,
    "mixtral_8x7b": 46_702_792_704,
    "mistral_nemo_12b": 12_247_782_400,
    "gemma_2_9b": 9_241_705_984,
    "gemma_2_27b": 27_227_128_320,
    "phi_3_medium": 13_960_238_080,
    "starcoder2_15b": 15_957_889_024,
    "falcon_40b": 41_303_293_952,
    "deepseek_v3_671b": 671_026_404_352,
    "mamba_130m": 129_135_360,
    "mamba_370m": 371_516_416,
    "mamba_790m": 793_204_224,
    "mamba_1_4b": 1_372_178_432,
    "mamba_2_8b": 2_768_345_600,
}
"""The published number of parameters of some of them. A survey that finds another number fails,
because a value of the configuration must be wrong."""
