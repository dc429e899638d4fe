"""Single decoder layers of well-known models, the largest among them.

A language model repeats the same layer many times, so one layer says much about a model that does
not fit a common machine. As in ``llm``, a *prefill* takes a prompt and a *decode* one token with
a cache. The layers have random weights: there is no simple way to load those of one layer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corpora.catalogue import Row
from corpora.script import WIDTH, Script
from corpora.sources.configurations import (
    BFLOAT16_FROM,
    Call,
    Code,
    assignment,
    config_of,
    different,
)
from corpora.sources.decoders import FAMILIES

__all__ = ["scripts", "survey"]

CORPUS = "llm_layer"

SAMPLES = {"qwen2_5_0_5b_layer_prefill", "qwen2_5_0_5b_layer_decode"}
"""Small scripts of both kinds that CI runs."""

MEMBERS = (
    "bloom_176b",
    "bloom_7b1",
    "deepseek_v3_671b",
    "falcon_40b",
    "falcon_7b",
    "gemma_2_27b",
    "gemma_2_2b",
    "gemma_2_9b",
    "gpt_j_6b",
    "gpt_neox_20b",
    "llama_2_13b",
    "llama_2_70b",
    "llama_2_7b",
    "llama_3_1_405b",
    "llama_3_2_1b",
    "llama_3_2_3b",
    "llama_3_70b",
    "llama_3_8b",
    "mistral_7b_v0_1",
    "mistral_nemo_12b",
    "mixtral_8x22b",
    "mixtral_8x7b",
    "opt_13b",
    "opt_175b",
    "opt_30b",
    "opt_66b",
    "opt_6_7b",
    "phi_3_medium",
    "phi_3_mini",
    "pythia_12b",
    "qwen2_5_0_5b",
    "qwen2_5_14b",
    "qwen2_5_1_5b",
    "qwen2_5_32b",
    "qwen2_5_3b",
    "qwen2_5_72b",
    "qwen2_5_7b",
    "qwen3_0_6b",
    "qwen3_14b",
    "qwen3_1_7b",
    "qwen3_32b",
    "qwen3_4b",
    "qwen3_8b",
    "starcoder2_15b",
    "starcoder2_3b",
    "starcoder2_7b",
    "yi_34b",
)
"""Those of the models whose layers are here."""


@dataclass(frozen=True)
class Layer:
    """How the layer of a family is called."""

    stem: str
    """What the names of its classes begin with."""
    module: str
    suffix: str = "DecoderLayer"
    positions: str = "rotary"
    """How it gets positions: 'rotary' takes angles, 'numbers' takes positions, 'alibi' takes a bias
    of the attention scores, and 'none' takes nothing."""
    attention: str = "sdpa"
    masks: bool = False
    """Whether a prompt needs a mask because the layer does not apply one itself."""
    cache: str = "past_key_values"
    """The name of the argument for the cache."""
    required: tuple[str, ...] = ()
    """Arguments that it requires even if they are None."""


LAYERS = {
    "LlamaForCausalLM": Layer("Llama", "llama"),
    "MistralForCausalLM": Layer("Mistral", "mistral"),
    "MixtralForCausalLM": Layer("Mixtral", "mixtral"),
    "Qwen2ForCausalLM": Layer("Qwen2", "qwen2"),
    "Qwen3ForCausalLM": Layer("Qwen3", "qwen3"),
    "Phi3ForCausalLM": Layer("Phi3", "phi3"),
    "Starcoder2ForCausalLM": Layer("Starcoder2", "starcoder2"),
    "DeepseekV3ForCausalLM": Layer("DeepseekV3", "deepseek_v3"),
    "Gemma2ForCausalLM": Layer("Gemma2", "gemma2", attention="eager", masks=True),
    "GPTNeoXForCausalLM": Layer("GPTNeoX", "gpt_neox", suffix="Layer", cache="layer_past"),
    "FalconForCausalLM": Layer(
        "Falcon", "falcon", cache="layer_past", required=("alibi", "attention_mask")
    ),
    "OPTForCausalLM": Layer("OPT", "opt", positions="none"),
    "GPTJForCausalLM": Layer(
        "GPTJ",
        "gptj",
        suffix="Block",
        positions="numbers",
        attention="eager",
        masks=True,
        cache="layer_past",
    ),
    "BloomForCausalLM": Layer(
        "Bloom",
        "bloom",
        suffix="Block",
        positions="alibi",
        attention="eager",
        masks=True,
        cache="layer_past",
        required=("attention_mask",),
    ),
}

_EXPERTS = """\
# The experts come without weights
for weights in layer.mlp.parameters():
    torch.nn.init.normal_(weights, std=config.initializer_range)
"""

_MASK = """\
# Each token sees itself and those before it
mask = torch.full((max_seq_length, max_seq_length), -torch.inf).triu(diagonal=1)
"""

_ALIBI = """\
# The further away a token is, the less it counts, and for some heads sooner than for others
slopes = 2.0 ** (-8.0 * torch.arange(1, config.n_head + 1) / config.n_head)
alibi = slopes[:, None, None] * torch.arange({length})
"""

_ROTARY = """\
# By forward() itself, because it is the layer alone that is to be measured
angles = {rotary}(config).forward(hidden_states, positions)
"""

_CACHE = """\
cache = DynamicCache()
keys = torch.randn(batch_size, {heads}, max_seq_length, {keys})
values = torch.randn(batch_size, {heads}, max_seq_length, {values})
cache.update(keys, values, 0)
"""


def survey() -> list[dict[str, Any]]:
    """A line for each layer."""
    rows = []
    for family in FAMILIES:
        for name in sorted(set(family.members) & set(MEMBERS)):
            checkpoint, published = family.members[name]
            config = config_of(family.model)
            figures = different(config, published)
            rows.append(
                {
                    "name": name,
                    "checkpoint": checkpoint,
                    "model": family.model,
                    "config": config,
                    "figures": json.dumps(figures),
                    "license": family.license,
                    **_facts(LAYERS[family.model], config, figures),
                }
            )
    return sorted(rows, key=lambda row: row["name"])


def _facts(layer: Layer, config: str, figures: Mapping[str, Any]) -> dict[str, int]:
    """The number of parameters of a layer, and the shape of its cache after two tokens.

    Found without memory for the weights, with an implementation of experts that allows that.
    """
    from importlib import import_module

    import torch
    import transformers

    module = import_module(f"transformers.models.{layer.module}.modeling_{layer.module}")
    configuration = getattr(transformers, config)(
        **figures, attn_implementation=layer.attention, experts_implementation="batched_mm"
    )
    with torch.device("meta"):
        made = getattr(module, f"{layer.stem}{layer.suffix}")(configuration, layer_idx=0).eval()
        hidden = torch.empty(1, 2, configuration.hidden_size)
        positions = torch.arange(2).unsqueeze(0)
        arguments: dict[str, Any] = dict.fromkeys(layer.required)
        if layer.positions == "rotary":
            rotary = getattr(module, f"{layer.stem}RotaryEmbedding")(configuration)
            arguments["position_embeddings"] = rotary(hidden, positions)
        elif layer.positions == "numbers":
            arguments["position_ids"] = positions
        elif layer.positions == "alibi":
            arguments["alibi"] = torch.empty(configuration.num_attention_heads, 1, 2)
        cache = transformers.DynamicCache()
        made(hidden_states=hidden, **{layer.cache: cache}, **arguments)
    filled: Any = cache.layers[0]
    keys, values = filled.keys.shape, filled.values.shape
    return {
        "heads": keys[1],
        "key_width": keys[3],
        "value_width": values[3],
        "params": sum(parameter.numel() for parameter in made.parameters()),
    }


def scripts(rows: Iterable[Row]) -> Iterator[Script]:
    """Two scripts per row."""
    for row in rows:
        yield _script(row, decode=False)
        yield _script(row, decode=True)


def _script(row: Row, decode: bool) -> Script:
    layer = LAYERS[row["model"]]
    author, _, title = row["checkpoint"].partition("/")
    name = f"{row['name']}_layer_{'decode' if decode else 'prefill'}"
    what = "with one more token and the cache of a text" if decode else "with a prompt"
    return Script(
        corpus=CORPUS,
        name=name,
        author=author.lower(),
        task="text_generation",
        license=row["license"],
        source=f"A decoder layer of {title}, {what}.\n\nhttps://huggingface.co/{row['checkpoint']}",
        imports=_imports(row, layer, decode),
        parameters=("batch_size", "max_seq_length"),
        body=_body(row, layer, decode),
        params=int(row["params"]),
        sample=name in SAMPLES,
    )


def _imports(row: Row, layer: Layer, decode: bool) -> tuple[str, ...]:
    top = [row["config"], "DynamicCache"] if decode else [row["config"]]
    own = [f"{layer.stem}{layer.suffix}"]
    if layer.positions == "rotary":
        own.append(f"{layer.stem}RotaryEmbedding")
    module = f"transformers.models.{layer.module}.modeling_{layer.module}"
    line = f"from {module} import {', '.join(own)}"
    if len(line) > WIDTH:
        names = "".join(f"    {name},\n" for name in own)
        line = f"from {module} import (\n{names})"
    return (f"from transformers import {', '.join(sorted(top))}", line)


def _body(row: Row, layer: Layer, decode: bool) -> str:
    figures = {**json.loads(row["figures"]), "attn_implementation": layer.attention}
    lines = ["# The layer and its inputs\n"]
    if int(row["params"]) > BFLOAT16_FROM:
        lines.append("torch.set_default_dtype(torch.bfloat16)\n")
    lines.append(f"{assignment('config', Call(row['config'], figures))}\n")
    lines.append(f"layer = {layer.stem}{layer.suffix}(config, layer_idx=0)\n")
    if layer.module == "mixtral":
        lines.append(_EXPERTS)
    lines.append("layer.eval()\n")
    length = "1" if decode else "max_seq_length"
    lines.append(f"hidden_states = torch.randn(batch_size, {length}, config.hidden_size)\n")
    made, inputs = _inputs(row, layer, decode)
    lines += made
    lines.append(f"{assignment('inputs', inputs)}\n")
    lines.append("\n# Call the layer\nlayer(**inputs)\n")
    return "".join(lines)


def _inputs(row: Row, layer: Layer, decode: bool) -> tuple[list[str], dict[str, Any]]:
    """The lines that make the inputs, and the inputs."""
    lines: list[str] = []
    inputs: dict[str, Any] = {"hidden_states": Code("hidden_states")}
    inputs |= dict.fromkeys(layer.required)
    if layer.positions in ("rotary", "numbers"):
        position = "torch.tensor([[max_seq_length]])" if decode else "torch.arange(max_seq_length)"
        lines.append(f"positions = {position}{'' if decode else '.unsqueeze(0)'}\n")
    if layer.positions == "rotary":
        lines.append(_ROTARY.format(rotary=f"{layer.stem}RotaryEmbedding"))
        inputs["position_embeddings"] = Code("angles")
    elif layer.positions == "numbers":
        inputs["position_ids"] = Code("positions")
    elif layer.positions == "alibi":
        length = "max_seq_length + 1" if decode else "max_seq_length"
        lines.append(_ALIBI.format(length=length))
        inputs["alibi"] = Code("alibi.repeat(batch_size, 1, 1)")
    if layer.masks and not decode:
        lines.append(_MASK)
        inputs["attention_mask"] = Code("mask.expand(batch_size, 1, -1, -1)")
    if decode:
        lines.append(
            _CACHE.format(heads=row["heads"], keys=row["key_width"], values=row["value_width"])
        )
        inputs[layer.cache] = Code("cache")
    return lines, inputs
