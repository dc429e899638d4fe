"""Whole language models, in prefill and in decode.

A *prefill* reads a prompt and fills the KV cache, a *decode* generates one token with such a cache.
They use hardware in different ways, so that each is a script. Models of more than 9 billion
parameters do not fit common machines; ``llm_layer`` has single layers of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from corpora.catalogue import Row
from corpora.script import Script
from corpora.sources.configurations import (
    BFLOAT16_FROM,
    Call,
    assignment,
    config_of,
    creation,
    different,
    model_class,
    parameter_count,
)
from corpora.sources.decoders import FAMILIES, PUBLISHED, Family

__all__ = ["scripts", "survey"]

CORPUS = "llm"

LARGEST = 9_000_000_000

SAMPLES = {"pythia_70m_prefill", "pythia_70m_decode", "smollm2_135m_decode"}
"""Small scripts of both kinds that CI runs."""

STATE = ("MambaForCausalLM",)
"""Models with a state of fixed size instead of a cache; they have only a prefill."""

_PREFILL = """\
# The model and its inputs
{config}
{model}
model.eval()
inputs = {{"input_ids": torch.randint(0, config.vocab_size, (batch_size, max_seq_length))}}

# Call the model
model(**inputs, use_cache=True)
"""

_DECODE = """\
# The model and its inputs: a token, and the keys and values of all tokens before it
{config}
{model}
model.eval()
cache = DynamicCache(config=config)
for layer in range(config.num_hidden_layers):
    keys = torch.randn(batch_size, {heads}, max_seq_length, {keys}{precision})
    values = torch.randn(batch_size, {heads}, max_seq_length, {values}{precision})
    cache.update(keys, values, layer)
inputs = {{
    "input_ids": torch.randint(0, config.vocab_size, (batch_size, 1)),
    "past_key_values": cache,
}}

# Call the model
model(**inputs, use_cache=True)
"""


def survey() -> list[dict[str, Any]]:
    """One row per model that is not too large."""
    rows = [_row(family, name) for family in FAMILIES for name in family.members]
    return sorted((row for row in rows if row), key=lambda row: row["name"])


def _row(family: Family, name: str) -> dict[str, Any]:
    checkpoint, published = family.members[name]
    config = config_of(family.model)
    figures = different(config, published)
    count = parameter_count(family.model, config, figures)
    if count != PUBLISHED.get(name, count):
        raise ValueError(f"{name} has {PUBLISHED[name]} parameters, and these figures {count}.")
    if count > LARGEST:
        return {}
    row = {
        "name": name,
        "checkpoint": checkpoint,
        "model": family.model,
        "config": config,
        "figures": json.dumps(figures),
        "license": family.license,
        "params": count,
    }
    return row if family.model in STATE else {**row, **_cache(family.model, config, figures)}


def _cache(model: str, config: str, figures: dict[str, Any]) -> dict[str, int]:
    """The number of heads in the cache of a layer, and the widths of its keys and values.

    Found by running the model on a prompt of two tokens, without memory for its weights.
    """
    import torch
    import transformers

    with torch.device("meta"):
        configuration = getattr(transformers, config)(**figures)
        made = getattr(transformers, model)(configuration).eval()
        prompt = torch.zeros(1, 2, dtype=torch.long)
        filled = made(input_ids=prompt, use_cache=True).past_key_values
    shapes = {(tuple(layer.keys.shape), tuple(layer.values.shape)) for layer in filled.layers}
    if len(shapes) != 1:
        raise ValueError(f"The layers of {model} have caches of several shapes: {shapes}.")
    keys, values = shapes.pop()
    return {"heads": keys[1], "key_width": keys[3], "value_width": values[3]}


def scripts(rows: Iterable[Row]) -> Iterator[Script]:
    """Two scripts per row, or one if there is no cache."""
    for row in rows:
        yield _script(row, "prefill", "reads a prompt and keeps what it needs to go on.", _PREFILL)
        if row["heads"]:
            yield _script(
                row, "decode", "writes one more token, with the cache of a text.", _DECODE
            )


def _script(row: Row, kind: str, what: str, body: str) -> Script:
    author, _, title = row["checkpoint"].partition("/")
    large = int(row["params"]) > BFLOAT16_FROM
    classes = {row["config"], model_class(row["model"], large)}
    if kind == "decode":
        classes.add("DynamicCache")
    name = f"{row['name']}_{kind}"
    return Script(
        corpus=CORPUS,
        name=name,
        author=author.lower(),
        task="text_generation",
        license=row["license"],
        source=f"{title} {what}\n\nhttps://huggingface.co/{row['checkpoint']}",
        imports=(f"from transformers import {', '.join(sorted(classes))}",),
        parameters=("batch_size", "max_seq_length", "pretrained"),
        body=body.format(
            config=assignment("config", Call(row["config"], json.loads(row["figures"]))),
            model=creation(row["model"], row["checkpoint"], large),
            heads=row["heads"],
            keys=row["key_width"],
            values=row["value_width"],
            precision=", dtype=torch.bfloat16" if large else "",
        ),
        params=int(row["params"]),
        sample=name in SAMPLES,
    )
