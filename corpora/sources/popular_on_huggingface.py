"""The most popular checkpoints, each at its published size."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from corpora.catalogue import Row
from corpora.script import WIDTH, Script
from corpora.sources.checkpoints import GROUPS, LICENSES, PUBLISHED, Group
from corpora.sources.configurations import (
    BFLOAT16_FROM,
    Call,
    Code,
    assignment,
    config_of,
    creation,
    different,
    model_class,
    parameter_count,
)

__all__ = ["scripts", "survey"]

CORPUS = "popular_on_huggingface"

SAMPLES = {"bert_tiny", "all_minilm_l6_v2", "deit_tiny_patch16_224", "esm2_t6_8m_ur50d"}
"""Small scripts of several kinds that CI runs."""

PURPOSES = {
    "fill_mask": "to fill in words that are left out",
    "feature_extraction": "for embeddings",
    "text_classification": "to classify text",
    "token_classification": "to label the words of a text",
    "question_answering": "to find answers in a text",
    "text_generation": "to continue text",
    "text2text_generation": "to turn text into other text",
    "translation": "to translate text",
    "summarization": "to summarise text",
    "time_series_forecasting": "to forecast time series, whose values it takes as tokens",
    "image_classification": "to classify pictures",
    "image_feature_extraction": "for embeddings of pictures",
    "semantic_segmentation": "to say what each pixel belongs to",
    "object_detection": "to find objects in pictures",
    "depth_estimation": "to estimate how far away each pixel is",
    "zero_shot_image_classification": "to compare pictures with text",
    "image_to_text": "to put pictures into words",
    "visual_question_answering": "to answer questions about pictures",
    "automatic_speech_recognition": "to write down speech",
    "audio_classification": "to classify sound",
    "zero_shot_audio_classification": "to compare sound with text",
    "video_classification": "to classify video",
}
"""The words for a task in the docstring of a script."""


@dataclass(frozen=True)
class Inputs:
    """A kind of inputs: the parameters of scripts for them, and the code that creates them."""

    parameters: tuple[str, ...]
    tensors: dict[str, str]
    before: str = ""
    """Lines before the inputs."""
    after: str = ""
    """Lines after the inputs."""
    keywords: str = ""
    """Further arguments of the call."""
    defaults: tuple[tuple[str, Any], ...] = ()


def _tokens(vocabulary: str = "config", least: int = 0) -> str:
    return f"torch.randint({least}, {vocabulary}.vocab_size, (batch_size, max_seq_length))"


_SQUARE = "torch.rand(batch_size, 3, size, size)"


def _size(config: str) -> str:
    """The line with the size of an image, if the model fixes it."""
    return f"size = {config}.image_size\n"


_SEQUENCE = ("batch_size", "max_seq_length")
_NO_CACHE = ", use_cache=False"
_BOXES = """\
# Boxes of words on a page of 1000 x 1000: their left and upper, then right and lower edges
corners = torch.randint(0, 1000, (batch_size, max_seq_length, 2, 2)).sort(dim=2).values
"""
_BOX_TENSOR = "corners.flatten(2)"

INPUTS = {
    "text": Inputs(_SEQUENCE, {"input_ids": _tokens()}),
    "generation": Inputs(_SEQUENCE, {"input_ids": _tokens()}, keywords=_NO_CACHE),
    "text_with_end": Inputs(
        _SEQUENCE,
        {"input_ids": _tokens(least=3)},
        after='inputs["input_ids"][:, -1] = config.eos_token_id\n',
        keywords=_NO_CACHE,
    ),
    "text2text": Inputs(
        _SEQUENCE,
        {"input_ids": _tokens(), "decoder_input_ids": _tokens()},
        keywords=_NO_CACHE,
    ),
    "image": Inputs(("batch_size",), {"pixel_values": _SQUARE}, before=_size("config")),
    "sized_image": Inputs(
        ("batch_size", "height", "width"),
        {"pixel_values": "torch.rand(batch_size, 3, height, width)"},
    ),
    "image_and_text": Inputs(
        _SEQUENCE,
        {"input_ids": _tokens("config.text_config"), "pixel_values": _SQUARE},
        before=_size("config.vision_config"),
    ),
    "caption": Inputs(
        _SEQUENCE,
        {"pixel_values": _SQUARE, "input_ids": _tokens("config.text_config")},
        before=_size("config.vision_config"),
        defaults=(("max_seq_length", 20),),
    ),
    "image_to_text": Inputs(
        _SEQUENCE,
        {"pixel_values": _SQUARE, "decoder_input_ids": _tokens("config.decoder")},
        before=_size("config.encoder"),
        keywords=_NO_CACHE,
    ),
    "question_and_image": Inputs(
        _SEQUENCE,
        {"input_ids": _tokens(), "pixel_values": _SQUARE},
        before=_size("config"),
        defaults=(("max_seq_length", 40),),
    ),
    "boxes": Inputs(_SEQUENCE, {"input_ids": _tokens(), "bbox": _BOX_TENSOR}, before=_BOXES),
    "boxes_and_image": Inputs(
        _SEQUENCE,
        {"input_ids": _tokens(), "bbox": _BOX_TENSOR, "pixel_values": _SQUARE},
        before=f"{_BOXES}size = config.input_size\n",
    ),
    "whisper": Inputs(
        _SEQUENCE,
        {
            "input_features": "torch.randn(batch_size, config.num_mel_bins, frames)",
            "decoder_input_ids": _tokens(),
        },
        before="frames = 2 * config.max_source_positions\n",
        keywords=_NO_CACHE,
    ),
    "sound": Inputs(
        ("batch_size", "max_audio_seq_length"),
        {"input_values": "torch.randn(batch_size, max_audio_seq_length)"},
    ),
    "spectrogram": Inputs(
        ("batch_size",),
        {"input_values": "torch.randn(batch_size, config.max_length, config.num_mel_bins)"},
    ),
    "features_to_text": Inputs(
        _SEQUENCE,
        {
            "input_features": ("torch.randn(batch_size, frames, config.input_feat_per_channel)"),
            "decoder_input_ids": _tokens(),
        },
        before="frames = 1000\n",
        keywords=_NO_CACHE,
    ),
    "sound_and_text": Inputs(
        _SEQUENCE,
        {
            "input_ids": _tokens("config.text_config"),
            "input_features": (
                "torch.randn(batch_size, 1, frames, config.audio_config.num_mel_bins)"
            ),
            "is_longer": "torch.zeros(batch_size, 1, dtype=torch.bool)",
        },
        before="frames = 1001\n",
    ),
    "video": Inputs(
        ("batch_size",),
        {"pixel_values": "torch.rand(batch_size, config.num_frames, 3, size, size)"},
        before=_size("config"),
    ),
}

SIZED = "sized_image"
"""The kind for models that take images of several sizes."""


def survey() -> list[dict[str, Any]]:
    """A line for each checkpoint."""
    rows = [_row(group, checkpoint) for group in GROUPS for checkpoint in group.checkpoints]
    return sorted(rows, key=lambda row: row["name"])


def _row(group: Group, checkpoint: str) -> dict[str, Any]:
    config = config_of(group.model)
    figures = different(config, group.checkpoints[checkpoint])
    count = parameter_count(group.model, config, figures)
    published = PUBLISHED.get(checkpoint, count)
    if count != published:
        raise ValueError(f"{checkpoint} has {published} parameters, and these figures {count}.")
    height, width = group.size or ("", "")
    return {
        "name": _name(checkpoint),
        "checkpoint": checkpoint,
        "model": group.model,
        "config": config,
        "figures": json.dumps(figures),
        "inputs": SIZED if group.size else group.inputs,
        "height": height,
        "width": width,
        "positions": _positions(config, figures),
        "task": group.task,
        "license": LICENSES.get(checkpoint, group.license),
        "params": count,
    }


def _name(checkpoint: str) -> str:
    name = checkpoint.partition("/")[2].lower()
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _positions(config: str, figures: dict[str, Any]) -> int | str:
    """The longest text that the model takes, if that is shorter than the default of scripts."""
    import transformers

    made = getattr(transformers, config)(**figures)
    text = getattr(made, "text_config", made)
    longest = getattr(text, "max_position_embeddings", None) or 128
    return longest if longest < 128 else ""


def scripts(rows: Iterable[Row]) -> Iterator[Script]:
    """A script for each line."""
    for row in rows:
        kind = INPUTS[row["inputs"]]
        yield Script(
            corpus=CORPUS,
            name=row["name"],
            author=row["checkpoint"].partition("/")[0].lower(),
            task=row["task"],
            license=row["license"],
            source=_source(row),
            imports=_imports(row),
            parameters=(*kind.parameters, "pretrained"),
            defaults=_defaults(row, kind),
            body=_body(row, kind),
            params=int(row["params"]),
            sample=row["name"] in SAMPLES,
        )


def _source(row: Row) -> str:
    author, _, name = row["checkpoint"].partition("/")
    purpose = PURPOSES[row["task"]]
    what = textwrap.fill(f"{name} of {author}, {purpose}.", WIDTH, break_on_hyphens=False)
    return f"{what}\n\nhttps://huggingface.co/{row['checkpoint']}"


def _large(row: Row) -> bool:
    return int(row["params"]) > BFLOAT16_FROM


def _imports(row: Row) -> tuple[str, ...]:
    names = sorted({row["config"], model_class(row["model"], _large(row))}, key=_import_order)
    return (f"from transformers import {', '.join(names)}",)


def _import_order(name: str) -> tuple[bool, str]:
    """Names in the order of the linter: constants, in capitals, come first."""
    return (not name.isupper(), name)


def _defaults(row: Row, kind: Inputs) -> dict[str, Any]:
    defaults = dict(kind.defaults)
    if row["positions"] and "max_seq_length" in kind.parameters:
        defaults["max_seq_length"] = int(row["positions"])
    usual = 224
    for side in ("height", "width"):
        if row[side] and int(row[side]) != usual:
            defaults[side] = int(row[side])
    return defaults


def _body(row: Row, kind: Inputs) -> str:
    tensors = {name: Code(_in_precision(row, text)) for name, text in kind.tensors.items()}
    return f"""\
# The model and its inputs
{assignment("config", Call(row["config"], json.loads(row["figures"])))}
{creation(row["model"], row["checkpoint"], _large(row))}
model.eval()
{kind.before}{assignment("inputs", tensors)}
{kind.after}
# Call the model
model(**inputs{kind.keywords})
"""


def _in_precision(row: Row, tensor: str) -> str:
    """Inputs that are not tokens have the precision of the model."""
    if not _large(row) or not tensor.startswith("torch.rand") or tensor.startswith("torch.randint"):
        return tensor
    return f"{tensor[:-1]}, dtype=torch.bfloat16)"
