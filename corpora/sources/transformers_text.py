"""The text architectures of transformers: encoders, decoders and encoder-decoders."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.script import WIDTH, Script
from corpora.sources import transformers_common as common

__all__ = ["scripts", "survey"]

ENCODER, DECODER, TEXT2TEXT = "encoder", "decoder", "text2text"
BOXES, FRACTIONAL_BOXES, LANGUAGES = "boxes", "fractional_boxes", "languages"
SPEECH, CODEBOOKS, CHANNELS = "speech", "codebooks", "channels"


@dataclass(frozen=True)
class Kind:
    """A group of models that are created and called in the same way."""

    task: str
    words: str
    """Its description in the docstring of scripts."""
    auto: str = "AutoModel"
    """The class that creates it in a given precision."""


KINDS = {
    ENCODER: Kind("feature_extraction", "text in, features out"),
    DECODER: Kind("text_generation", "a language model", "AutoModelForCausalLM"),
    TEXT2TEXT: Kind("text2text_generation", "text in, text out", "AutoModelForSeq2SeqLM"),
    BOXES: Kind("feature_extraction", "words on a page in, features out"),
    FRACTIONAL_BOXES: Kind("feature_extraction", "words on a page in, features out"),
    LANGUAGES: Kind("feature_extraction", "text of a known language in, features out"),
    SPEECH: Kind("text_to_speech", "text in, speech out"),
    CODEBOOKS: Kind("text_to_audio", "text in, codes of sound out", "AutoModelForTextToWaveform"),
    CHANNELS: Kind("text_to_speech", "text in, codes of speech out", "AutoModelForSpeechSeq2Seq"),
}

KIND_OF = {
    "bert-generation": ENCODER,
    "bros": FRACTIONAL_BOXES,
    "dia": CHANNELS,
    "fastspeech2_conformer": SPEECH,
    "fastspeech2_conformer_with_hifigan": SPEECH,
    "higgs_audio_v2": SPEECH,
    "layoutlm": BOXES,
    "lilt": BOXES,
    "musicgen": CODEBOOKS,
    "musicgen_melody": CODEBOOKS,
    "vits": SPEECH,
    "xmod": LANGUAGES,
}
"""The kinds of models whose heads do not determine it."""

SETTINGS = {
    "reformer": "hash_seed=0",
    "vits": "noise_scale=0.0, noise_scale_duration=0.0",
}
"""Arguments of configurations without which the output is random."""

VOCABULARIES = {
    "canine": "0x10000",
    "dia": "model.config.encoder_config.vocab_size",
    "encoder-decoder": "model.config.encoder.vocab_size",
    "fastspeech2_conformer_with_hifigan": "model.config.model_config.vocab_size",
    "musicgen": "model.config.text_encoder.vocab_size",
    "musicgen_melody": "model.config.text_encoder.vocab_size",
}
"""The vocabulary sizes that the configuration does not have under the usual name. Canine reads
characters: those that fit into 16 bits."""

CHECKPOINTS = {
    "bloom": "bigscience/bloom-560m",
    "codegen": "Salesforce/codegen-6B-mono",
    "distilbert": "distilbert/distilbert-base-uncased",
    "dpr": "facebook/dpr-question_encoder-single-nq-base",
    "gemma2": "google/gemma-2-2b",
    "gemma3_text": "google/gemma-3-1b-pt",
    "lfm2": "LiquidAI/LFM2-2.6B",
    "mamba": "state-spaces/mamba-130m-hf",
    "mamba2": "mistralai/Mamba-Codestral-7B-v0.1",
    "modernbert-decoder": "jhu-clsp/ettin-decoder-150m",
    "opt": "facebook/opt-125m",
    "rwkv": "RWKV/rwkv-4-7b-pile",
    "starcoder2": "bigcode/starcoder2-3b",
    "t5gemma": "google/t5gemma-2b-2b-prefixlm",
    "xlm-roberta": "FacebookAI/xlm-roberta-base",
}
"""Published weights of about the default size in the format of the library, if those that the
library names are in another format."""

NO_CHECKPOINT = {
    "encoder-decoder": "any two models can be combined",
    "megatron-bert": "the published weights are in the format of another library",
    "trocr": "published as part of a model that reads images",
}
"""Models without published weights of their own, with the reason; also parts of larger models."""

LEFT_OUT = {
    "bark": "Three models in a row, which have no forward method in common.",
    "cohere_compass_text": "The default configuration lacks the settings of the attention layers.",
    "dbrx": "The default configuration lacks the base of the rotary embedding.",
    "dots1": "The default configuration lacks the number of experts.",
    "esm": "The default configuration lacks the size of the vocabulary.",
    "gemma4_assistant": "The default configuration contradicts itself.",
    "gemma4_unified_assistant": "Drafts for another model, from the states of that model.",
    "glm4v_text": "The parts of its default rotary embedding do not fit its attention heads.",
    "glm_image_text": "The parts of its default rotary embedding do not fit its attention heads.",
    "gpt-sw3": "The same classes and configuration as gpt2.",
    "hunyuan_v1_dense": "The default configuration lacks the size of the attention heads.",
    "hunyuan_v1_moe": "The default configuration lacks the size of the attention heads.",
    "hunyuan_vl_text": "The default configuration lacks the size of the attention heads.",
    "lfm2_moe": "The default configuration lacks the kinds of the layers.",
    "ministral": "The default configuration lacks the size of the attention heads.",
    "muse_glimmer_assistant": "Drafts for another model, from the states of that model.",
    "nemotron": "The default configuration lacks the number of heads of keys and values.",
    "qwen4_exp_text": "The default configuration lacks the number of attention heads.",
    "voxtral_realtime_text": "Part of voxtral_realtime, whose class the library does not export.",
}
"""Models without a script, with the reason. The survey adds those that are too large."""

FLOAT32_ONLY = {"xlstm"}
"""Models whose code multiplies float32 with bfloat16."""

SAMPLES = ("bloom", "electra", "mobilebert")


def survey() -> list[dict[str, Any]]:
    """One row per text architecture, with what its script needs."""
    return [_row(a) for a in common.architectures() if common.is_text(a)]


def _row(architecture: common.Architecture) -> dict[str, Any]:
    """One row of the catalogue; creates the model on the meta device."""
    import transformers

    row: dict[str, Any] = {
        "name": architecture.model_type,
        "kind": "",
        "config": architecture.config,
        "model": architecture.model,
        "source": architecture.source,
        "documented_with": architecture.checkpoint,
    }
    if architecture.model_type in LEFT_OUT:
        return row | {"left_out": LEFT_OUT[architecture.model_type]}
    config = getattr(transformers, architecture.config)()
    kind, name = _kind_and_class(architecture, config)
    model = common.model_class(name, architecture.module)
    row |= {"model": name, "parameters": common.parameters(config, model)}
    if row["parameters"] > common.LARGEST:
        size = row["parameters"] / 1e9
        return row | {"left_out": f"The default configuration has {size:.1f} B parameters."}
    arguments = inspect.signature(model.forward).parameters
    return row | {
        "kind": kind,
        "settings": SETTINGS.get(architecture.model_type, ""),
        "checkpoint": _checkpoint(architecture),
        "first_id": _first_id(architecture, config, model),
        "vocabulary": VOCABULARIES.get(architecture.model_type, "model.config.vocab_size"),
        "max_seq_length": _longest(config),
        "attention_mask": "yes" if "attention_mask" in arguments else "",
        "options": _options(kind, config, arguments),
    }


def _kind_and_class(architecture: common.Architecture, config: Any) -> tuple[str, str]:
    """How a model is called, and the class to create.

    A model with a head for masked words is an encoder, even if it can also generate text.
    """
    heads = architecture.heads
    kind = KIND_OF.get(architecture.model_type)
    if kind is None:
        if getattr(config, "is_encoder_decoder", False) and "SEQ_TO_SEQ_CAUSAL_LM" in heads:
            kind = TEXT2TEXT
        elif "CAUSAL_LM" in heads and "MASKED_LM" not in heads:
            kind = DECODER
        else:
            kind = ENCODER
    head = {
        DECODER: "CAUSAL_LM",
        TEXT2TEXT: "SEQ_TO_SEQ_CAUSAL_LM",
        CODEBOOKS: "TEXT_TO_WAVEFORM",
        CHANNELS: "SPEECH_SEQ_2_SEQ",
    }.get(kind)
    return kind, heads[head] if head else architecture.model


def _checkpoint(architecture: common.Architecture) -> str:
    """The checkpoint that ``pretrained`` loads; empty if only a larger model is published."""
    model_type = architecture.model_type
    if model_type in CHECKPOINTS:
        return CHECKPOINTS[model_type]
    part = model_type.endswith("_text") and architecture.module != model_type
    if part or model_type in {*NO_CHECKPOINT, "tipsv2_text_model"}:
        return ""
    return architecture.checkpoint


def _first_id(architecture: common.Architecture, config: Any, model: type) -> int:
    """The lowest id to draw.

    Some models derive positions from the ids that are not padding, so the text must not contain the
    padding id. Canine's first ids are control characters.
    """
    if architecture.model_type == "canine":
        return 32
    counts = "create_position_ids_from_input_ids" in inspect.getsource(inspect.getmodule(model))  # type: ignore[arg-type]
    return config.pad_token_id + 1 if counts and config.pad_token_id in range(10) else 0


def _longest(config: Any) -> str:
    """The length of text to use instead of the standard one, if that is too long."""
    positions = getattr(config, "max_position_embeddings", None) or 0
    return str(positions) if 0 < positions < 128 else ""


def _options(kind: str, config: Any, arguments: Mapping[str, Any]) -> str:
    """Arguments of the call that keep the cache out of the outputs."""
    if "use_mems" in arguments:
        return "use_mems=False"
    if config.model_type in ("reformer", "switch_transformers"):
        return "use_cache=False"
    could_decode = hasattr(config, "is_decoder") and kind in (ENCODER, LANGUAGES)
    return "use_cache=False" if "use_cache" in arguments and not could_decode else ""


def scripts(rows: Sequence[Mapping[str, str]]) -> Iterator[Script]:
    """One script per architecture that is not left out."""
    return (_script(row) for row in rows if row["kind"])


def _script(row: Mapping[str, str]) -> Script:
    kind = KINDS[row["kind"]]
    published = row["checkpoint"] or row["documented_with"]
    size = int(row["parameters"])
    large = size > common.ABOVE_THIS_BFLOAT16 and row["name"] not in FLOAT32_ONLY
    creator = kind.auto if large else row["model"]
    length = row["max_seq_length"]
    return Script(
        corpus="transformers",
        name=common.file_name(row["name"]),
        author=common.author(published),
        task=kind.task,
        license=common.license_of(row["checkpoint"]),
        source=f"{row['model']} of transformers in its default size: {kind.words}.\n\n"
        f"{common.url(row['source'])}",
        imports=(f"from transformers import {', '.join(sorted((creator, row['config'])))}",),
        parameters=("batch_size", "max_seq_length")
        + (("pretrained",) if row["checkpoint"] else ()),
        defaults={"max_seq_length": int(length)} if length else {},
        params=size,
        body=_body(row, creator, large),
        sample=row["name"] in SAMPLES,
    )


def _body(row: Mapping[str, str], creator: str, large: bool) -> str:
    options = f", {row['options']}" if row["options"] else ""
    return "\n".join(
        [
            "# The model and its inputs",
            *_creation(row, creator, large),
            "model.eval()",
            *_inputs(row),
            "",
            "# Call the model",
            f"model(**inputs{options})",
        ]
    )


def _creation(row: Mapping[str, str], creator: str, large: bool) -> list[str]:
    """Lines that create the model, with published or with random weights.

    Only the ``Auto`` classes have a public way to create a model directly in bfloat16.
    """
    config = f"{row['config']}({row['settings']})"
    new = (
        ("model = ", f"{creator}.from_config", [config, "dtype=torch.bfloat16"])
        if large
        else ("model = ", creator, [config])
    )
    if not row["checkpoint"]:
        return _call(*new)
    dtype = "dtype=torch.bfloat16" if large else "dtype=torch.float32"
    settings = [row["settings"]] if row["settings"] else []
    load = [f'"{row["checkpoint"]}"', *settings, dtype]
    return [
        "if pretrained:",
        *_call("    model = ", f"{creator}.from_pretrained", load),
        "else:",
        *_call("    " + new[0], *new[1:]),
    ]


def _inputs(row: Mapping[str, str]) -> list[str]:
    """Lines that create the inputs."""
    kind, shape = row["kind"], "(batch_size, max_seq_length)"
    before: list[str] = []
    entries = _ids("input_ids", row["first_id"], row["vocabulary"], shape)
    if row["attention_mask"]:
        entries += [
            '    "attention_mask": torch.ones(batch_size, max_seq_length, dtype=torch.long),'
        ]
    if kind in (BOXES, FRACTIONAL_BOXES):
        size = "(batch_size, max_seq_length, 2)"
        draw = f"torch.randint(0, 500, {size})" if kind == BOXES else f"torch.rand{size} / 2"
        before = [f"corners = {draw}", f"sizes = {draw}"]
        entries += ['    "bbox": torch.cat([corners, corners + sizes], dim=-1),']
    elif kind == LANGUAGES:
        entries += ['    "lang_ids": torch.zeros(batch_size, dtype=torch.long),']
    elif kind == TEXT2TEXT:
        decoder = row["vocabulary"].replace("encoder", "decoder")
        entries += _ids("decoder_input_ids", row["first_id"], decoder, shape)
    elif kind == CHANNELS:
        before = ["decoder = model.config.decoder_config"]
        shape = "(batch_size, max_seq_length, decoder.num_channels)"
        entries += _ids("decoder_input_ids", "0", "decoder.vocab_size", shape)
    elif kind == CODEBOOKS:
        before = ["decoder = model.config.decoder"]
        shape = "(batch_size * decoder.num_codebooks, max_seq_length)"
        entries += _ids("decoder_input_ids", "0", "decoder.vocab_size", shape)
    return [*before, "inputs = {", *entries, "}"]


def _ids(name: str, first: str, vocabulary: str, shape: str) -> list[str]:
    """The entry of the inputs for random ids."""
    return _call(f'    "{name}": ', "torch.randint", [first, vocabulary, shape], ",")


def _call(before: str, function: str, arguments: Sequence[str], after: str = "") -> list[str]:
    """A formatted call: on one line, or on three if it is too long."""
    inside = ", ".join(arguments)
    line = f"{before}{function}({inside}){after}"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(before) - len(before.lstrip()))
    return [f"{before}{function}(", f"{indent}    {inside}", f"{indent}){after}"]
