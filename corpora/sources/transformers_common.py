"""What both sources of the corpus ``transformers`` query from the library."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = [
    "ABOVE_THIS_BFLOAT16",
    "LARGEST",
    "TAG",
    "Architecture",
    "architectures",
    "author",
    "file_name",
    "is_text",
    "license_of",
    "model_class",
    "parameters",
    "url",
]

TAG = "v5.22.2"
"""The version of transformers that the scripts are written for."""

LARGEST = 9_000_000_000
"""Models with more parameters in the default configuration get no script."""

ABOVE_THIS_BFLOAT16 = 1_000_000_000
"""Parameters above which a model is created in bfloat16 instead of float32."""

_REPOSITORY = "https://github.com/huggingface/transformers/blob"


@dataclass(frozen=True)
class Architecture:
    """One model type of transformers: how it is configured and which classes it has."""

    model_type: str
    config: str
    """The name of the class of its configuration."""
    base: str
    """The name of the class of the model without a head, empty where there is none."""
    module: str
    """The folder of its source, within ``transformers/models``."""
    source: str
    """The file that the model is defined in, within ``transformers/models``."""
    checkpoint: str
    """The published weights which the configuration is documented with; may be empty."""
    main_input_name: str
    modalities: tuple[str, ...]
    """Its input modalities, as the library states them: text, image, audio, video, time, ..."""
    requires: tuple[str, ...] = ()
    """Libraries without which its class cannot be instantiated."""
    heads: Mapping[str, str] = field(default_factory=dict)
    """The classes with a head: ``{"CAUSAL_LM": "BertLMHeadModel", ...}``."""

    @property
    def model(self) -> str:
        """The class without a head, or else the first one with a head."""
        return self.base or next(iter(self.heads.values()))


@cache
def architectures() -> list[Architecture]:
    """Every model type with a model class in one of the library's tables, by name.

    This imports all models of the library, which takes a minute.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    base, heads = _tables()
    return [
        _architecture(name, CONFIG_MAPPING_NAMES[name], _first(base.get(name)), heads.get(name, {}))
        for name in model_types()
    ]


def model_types() -> list[str]:
    """The names of the architectures, without importing the models."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    base, heads = _tables()
    return sorted({*base, *heads} & {*CONFIG_MAPPING_NAMES})


def _tables() -> tuple[Mapping[str, Any], dict[str, dict[str, str]]]:
    """The classes without a head, and those with one, by model type."""
    from transformers.models.auto import modeling_auto

    heads: dict[str, dict[str, str]] = {}
    for name, table in vars(modeling_auto).items():
        head = re.fullmatch(r"MODEL_FOR_(\w+?)(_MAPPING)?_NAMES", name)
        if head is None:
            continue
        for model_type, classes in table.items():
            heads.setdefault(model_type, {})[head[1]] = _first(classes)
    return modeling_auto.MODEL_MAPPING_NAMES, heads


def _first(classes: Any) -> str:
    """The class of a table entry; the first one if the entry has several."""
    return classes[0] if isinstance(classes, (tuple, list)) else classes or ""


def _architecture(
    model_type: str, config: str, base: str, heads: Mapping[str, str]
) -> Architecture:
    import transformers
    from transformers.models.auto.configuration_auto import model_type_to_module_name

    module = model_type_to_module_name(model_type)
    model = model_class(base or next(iter(heads.values())), module)
    stand_in = type(model).__name__ == "DummyObject"
    source = Path(module, f"modeling_{module}.py") if stand_in else Path(inspect.getfile(model))
    modalities = () if stand_in else model.input_modalities
    return Architecture(
        model_type=model_type,
        config=config,
        base=base,
        module=module,
        source=f"{source.parent.name}/{source.name}",
        checkpoint=_checkpoint(getattr(transformers, config)),
        main_input_name="" if stand_in else model.main_input_name,
        modalities=(modalities,) if isinstance(modalities, str) else tuple(modalities),
        requires=tuple(model._backends) if stand_in else (),
        heads=heads,
    )


def model_class(name: str, module: str) -> Any:
    """A class by its name; the few that the library does not export come from their module."""
    import transformers

    if hasattr(transformers, name):
        return getattr(transformers, name)
    folder = module.rsplit(".", maxsplit=1)[-1]
    return getattr(import_module(f"transformers.models.{module}.modeling_{folder}"), name)


def _checkpoint(config: type) -> str:
    """The published model in the documentation of a configuration.

    The library states it in the decorator of the class, which leaves no trace in the class.
    """
    text = Path(inspect.getfile(config)).read_text(encoding="utf-8")
    before = text.split(f"\nclass {config.__name__}(")[0]
    decorators = before[before.rfind("\n\n\n") :]
    found = re.search(r'@auto_docstring\([^@]*?checkpoint="([^"]*)"', decorators)
    return found[1] if found else ""


def is_text(architecture: Architecture) -> bool:
    """Whether it needs only token ids, possibly with bounding boxes of the words."""
    if architecture.model_type in _DESPITE_THEIR_LABELS:
        return _DESPITE_THEIR_LABELS[architecture.model_type]
    return architecture.main_input_name == "input_ids" and architecture.modalities == ("text",)


_DESPITE_THEIR_LABELS: Mapping[str, bool] = {
    "blt": True,
    "clvp": False,
    "exaone4_5_vision": False,
    "minimax_m3_vl_text": True,
    "mistral_large4_text": True,
    "molmo2_text": True,
    "muse_glimmer_assistant": True,
    "pe_audio": False,
    "pe_audio_video": False,
    "pe_video": False,
    "pop2piano": False,
}
"""Model types whose labels in the library contradict their forward method."""


def parameters(config: Any, model_class: type) -> int:
    """The number of parameters of a model, shared ones counted once; allocates no memory."""
    import torch

    with torch.device("meta"):
        model = model_class(config)
    return sum(parameter.numel() for parameter in model.parameters())


PACKAGES = {"xlstm"}
"""Architectures with the name of a package that transformers imports if it is installed."""


def file_name(model_type: str) -> str:
    """The name of the script for a model type.

    A script with the name of a package would be imported instead of the package.
    """
    name = model_type.lower().replace("-", "_").replace(".", "_")
    return f"{name}_model" if name in PACKAGES else name


def url(source: str) -> str:
    """The URL of the source of a model: ``Architecture.source`` of the pinned version."""
    return f"{_REPOSITORY}/{TAG}/src/transformers/models/{source}"


def author(checkpoint: str) -> str:
    """The organisation that published a checkpoint, in the spelling of the labels."""
    if "/" not in checkpoint:
        return "huggingface"
    owner = checkpoint.split("/", maxsplit=1)[0].lower()
    return _AUTHORS.get(owner, owner)


_AUTHORS = {
    "albert": "google",
    "alibaba-nlp-community": "alibaba",
    "almanach": "inria",
    "answerdotai": "answer.ai",
    "blab-jhu": "jhu",
    "cohereforai": "cohere",
    "coherelabs": "cohere",
    "deepseek-community": "deepseek",
    "deepseek-ai": "deepseek",
    "distilbert": "huggingface",
    "facebook": "meta",
    "facebookai": "meta",
    "funnel-transformer": "google",
    "google-bert": "google",
    "google-t5": "google",
    "huggingfacem4": "huggingface",
    "huggingfacetb": "huggingface",
    "ibm-fms": "ibm",
    "ibm-granite": "ibm",
    "ibm-research": "ibm",
    "itazap": "meta",
    "jhu-clsp": "jhu",
    "jinho8345": "naver",
    "junnyu": "zhuiyi",
    "kmhf": "kyutai",
    "kssteven": "berkeley",
    "meta-llama": "meta",
    "meta-models": "meta",
    "nghuyong": "baidu",
    "openai-community": "openai",
    "paddlepaddle": "baidu",
    "rucaibox": "ruc",
    "scut-dlvclab": "scut",
    "stabilityai": "stability-ai",
    "thudm": "zhipu",
    "uclanlp": "ucla",
    "weiweishi": "tencent",
    "xlnet": "google",
    "yitutech": "yitu",
    "zai-org": "zhipu",
}
"""The usual names of checkpoint owners that are better known by another name."""


def license_of(checkpoint: str) -> str:
    """The license of the published weights; the library itself is Apache-2.0."""
    return _LICENSES.get(checkpoint, "apache-2.0")


_LICENSES: Mapping[str, str] = {
    "EleutherAI/gpt-neo-1.3B": "mit",
    "FacebookAI/roberta-base": "mit",
    "FacebookAI/xlm-mlm-en-2048": "cc-by-nc-4.0",
    "FacebookAI/xlm-roberta-base": "mit",
    "Helsinki-NLP/opus-mt-en-de": "cc-by-4.0",
    "LiquidAI/LFM2-2.6B": "other",
    "NX-AI/xLSTM-7b": "other",
    "SCUT-DLVCLab/lilt-roberta-en-base": "mit",
    "Salesforce/codegen-6B-mono": "bsd-3-clause",
    "Salesforce/ctrl": "bsd-3-clause",
    "abeja/gpt-neox-japanese-2.7b": "mit",
    "almanach/camembert-base": "mit",
    "andreasmadsen/efficient_mlm_m0.40": "mit",
    "bigcode/gpt_bigcode-santacoder": "openrail",
    "bigcode/starcoder2-3b": "bigcode-openrail-m",
    "bigscience/bloom-560m": "bigscience-bloom-rail-1.0",
    "biohub/ESMC-6B": "other",
    "bosonai/higgs-audio-v2-generation-3B-base": "other",
    "facebook/data2vec-text-base": "mit",
    "facebook/dpr-question_encoder-single-nq-base": "cc-by-nc-4.0",
    "facebook/m2m100_418M": "mit",
    "facebook/mms-tts-eng": "cc-by-nc-4.0",
    "facebook/musicgen-melody": "cc-by-nc-4.0",
    "facebook/musicgen-small": "cc-by-nc-4.0",
    "facebook/nllb-moe-54b": "cc-by-nc-4.0",
    "facebook/opt-125m": "other",
    "facebook/xglm-564M": "mit",
    "facebook/xlm-roberta-xl": "mit",
    "facebook/xmod-base": "mit",
    "flaubert/flaubert_base_uncased": "mit",
    "google/gemma-2-2b": "gemma",
    "google/gemma-3-1b-pt": "gemma",
    "google/gemma-7b": "gemma",
    "google/recurrentgemma-2b": "gemma",
    "google/t5gemma-2b-2b-prefixlm": "gemma",
    "google/vaultgemma-1b": "gemma",
    "itazap/blt-1b-hf": "other",
    "jhu-clsp/ettin-decoder-150m": "mit",
    "jinaai/jina-embeddings-v3-hf": "cc-by-nc-4.0",
    "karpathy/nanochat-d32": "mit",
    "kyutai/helium-1-preview": "cc-by-4.0",
    "meta-llama/Llama-2-7b-hf": "llama2",
    "microsoft/Phi-3-mini-4k-instruct": "mit",
    "microsoft/biogpt": "mit",
    "microsoft/bitnet-b1.58-2B-4T": "mit",
    "microsoft/deberta-base": "mit",
    "microsoft/deberta-v2-xlarge": "mit",
    "microsoft/layoutlm-base-uncased": "mit",
    "microsoft/phi-1": "mit",
    "naver-hyperclovax/HyperCLOVAX-SEED-Think-14B": "other",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "other",
    "openai-community/gpt2": "mit",
    "openai-community/openai-gpt": "mit",
    "openai/clip-vit-base-patch32": "mit",
    "stabilityai/stablelm-3b-4e1t": "cc-by-sa-4.0",
    "tiiuae/Falcon-H1-1.5B-Deep-Instruct": "other",
    "tiiuae/falcon-mamba-7b": "other",
    "xlnet/xlnet-large-cased": "mit",
}
"""The licenses of checkpoints that differ from the library."""
