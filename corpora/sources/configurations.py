"""Configurations of transformers: the values of a published model, and their code in a script.

The values are plain data. The library is needed to find those that differ from the defaults of the
configuration class, so that scripts contain only these, and to count the parameters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpora.script import WIDTH

__all__ = [
    "BFLOAT16_FROM",
    "Call",
    "Code",
    "assignment",
    "config_of",
    "different",
    "parameter_count",
]

BFLOAT16_FROM = 1_000_000_000
"""Models with more parameters than this are created in bfloat16, as they were published."""

_CONFIGS = {
    "DPRQuestionEncoder": "DPRConfig",
    "DPRContextEncoder": "DPRConfig",
    "Gemma3ForCausalLM": "Gemma3TextConfig",
    "Gemma3TextModel": "Gemma3TextConfig",
    "VisionEncoderDecoderModel": "VisionEncoderDecoderConfig",
}
_HEADS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "MTModel", "Model", "For")


def config_of(model: str) -> str:
    """The name of the configuration class of a model class."""
    if model in _CONFIGS:
        return _CONFIGS[model]
    stem = min((model.partition(head)[0] for head in _HEADS), key=len)
    return f"{stem}Config"


def different(config: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from the defaults of the configuration class."""
    import transformers

    kind = getattr(transformers, config)
    found = _different(kind(), figures)
    made = kind(**found)
    # Some values are derived from others, unless they are given
    changed = [name for name in figures if not _holds(made, name, figures[name])]
    return {name: found.get(name, figures[name]) for name in figures if name in {*found, *changed}}


def _holds(made: Any, name: str, value: Any) -> bool:
    """Whether a configuration has this value."""
    actual = getattr(made, name, None)
    if isinstance(value, Mapping) and hasattr(actual, "to_dict"):
        return all(_holds(actual, inner, value[inner]) for inner in value)
    return bool(_plain(actual) == _plain(value))


def _different(default: Any, figures: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in figures.items():
        usual = getattr(default, name, None)
        if isinstance(value, Mapping) and hasattr(usual, "to_dict"):
            part = _part(usual, value)
            if part:
                found[name] = part
        elif _plain(usual) != _plain(value):
            found[name] = value
    return found


def _part(usual: Any, figures: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a nested configuration.

    The library creates it from its own class, whatever the default of the outer one is. Values that
    name the class are kept.
    """
    kind = figures.get("model_type")
    if kind is None:
        return _different(type(usual)(), figures)
    if kind != usual.model_type:
        return dict(figures)
    return {"model_type": kind, **_different(type(usual)(), figures)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def parameter_count(model: str, config: str, figures: Mapping[str, Any]) -> int:
    """The number of parameters of a model, shared ones counted once. Allocates no memory."""
    import torch
    import transformers

    configuration = getattr(transformers, config)(**figures)
    with torch.device("meta"):
        made = getattr(transformers, model)(configuration)
    made.tie_weights()
    return sum(parameter.numel() for parameter in made.parameters())


_AUTO = {
    "ForCausalLM": "AutoModelForCausalLM",
    "LMHeadModel": "AutoModelForCausalLM",
    "WhisperForConditionalGeneration": "AutoModelForSpeechSeq2Seq",
    "ForConditionalGeneration": "AutoModelForSeq2SeqLM",
    "Model": "AutoModel",
}
"""The class that creates a model in another precision than float32, by the end of the model's name.
Model classes themselves only take a configuration."""


def model_class(model: str, large: bool) -> str:
    """The class with which a script creates a model."""
    if not large:
        return model
    return next(auto for end, auto in _AUTO.items() if model.endswith(end))


def creation(model: str, checkpoint: str, large: bool) -> str:
    """The lines that load the published weights or create random ones."""
    maker = model_class(model, large)
    precision = "torch.bfloat16" if large else "torch.float32"
    made = f"{maker}.from_config(config, dtype={precision})" if large else f"{maker}(config)"
    loaded = f"    model = {maker}.from_pretrained("
    arguments = f'"{checkpoint}", dtype={precision}'
    if len(loaded) + len(arguments) + 1 > WIDTH:
        arguments = f"\n        {arguments}\n    "
    return f"if pretrained:\n{loaded}{arguments})\nelse:\n    model = {made}"


class Code(str):
    """Python code, among values that are not code yet."""

    __slots__ = ()


def assignment(name: str, value: Any) -> str:
    """``name = value``, on several lines if it is too long for one."""
    return f"{name} = {_written(value, 0, len(name) + 3)}"


@dataclass(frozen=True)
class Call:
    """A call with keyword arguments, as a value."""

    function: str
    keywords: Mapping[str, Any]


def _written(value: Any, indent: int, before: int) -> str:
    """The formatted Python code of a value: on one line if it fits, otherwise one line per item.

    ``before`` is the number of characters that the line already has, without the indentation.
    """
    line = _line(value)
    if indent + before + len(line) < WIDTH or not isinstance(value, (Call, Mapping, list, tuple)):
        return line
    start, end, items = _parts(value)
    inner = " " * (indent + 4)
    lines = [f"{inner}{key}{_written(item, indent + 4, len(key))},\n" for key, item in items]
    return f"{start}\n{''.join(lines)}{' ' * indent}{end}"


def _line(value: Any) -> str:
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value)
    if not isinstance(value, (Call, Mapping, list, tuple)):
        return repr(value)
    start, end, items = _parts(value)
    return f"{start}{', '.join(key + _line(item) for key, item in items)}{end}"


def _parts(value: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    """The brackets of a value with several items, and its items with their prefixes."""
    if isinstance(value, Call):
        return f"{value.function}(", ")", [(f"{k}=", item) for k, item in value.keywords.items()]
    if isinstance(value, Mapping):
        return "{", "}", [(f"{json.dumps(key)}: ", item) for key, item in value.items()]
    return "[", "]", [("", item) for item in value]
