"""The architectures of transformers that see, hear or measure: all that is not token ids alone.

Most of them take one of a few kinds of input, which follows from the signature of the model. The
others are in tables here: which of the classes, what the call needs, and what to tell the
configuration. Where the default configuration makes no model that can be run, the catalogue says
why.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from typing import Any

from corpora.script import WIDTH, Script
from corpora.sources import transformers_common as common

__all__ = ["scripts", "survey"]


@dataclass(frozen=True)
class Kind:
    """A way to call models: the parameters it takes from the command line and the inputs."""

    inputs: Mapping[str, str]
    """The arguments and the expressions that make them, where ``$text`` and ``$vision`` are the
    configurations of these parts, and ``$dtype`` is empty unless the model is in bfloat16."""
    parameters: tuple[str, ...] = ("batch_size",)
    before: tuple[str, ...] = ()
    """Lines which the expressions depend on."""
    more: str = ""
    """Further arguments of the call."""


@dataclass(frozen=True)
class Choice:
    """What the survey cannot find out about a model type."""

    kind: str = ""
    model: str = ""
    """The class, where it is not the one that the tables of the library suggest."""
    task: str = ""
    options: str = ""
    """Arguments of the configuration."""
    height: int = 0
    """Of the images by default, and the width with it unless that is another one."""
    width: int = 0
    text: str = ""
    """Where the figures of this part are, if not at the usual place; likewise the next two."""
    vision: str = ""
    audio: str = ""
    model_part: str = ""
    left_out: str = ""
    """Why there is no script."""


_IMAGE = ("batch_size", "height", "width")
_WORDS = ("batch_size", "max_seq_length")
_SOUND = ("batch_size", "max_audio_seq_length")

_IDS = "torch.randint(0, $text.vocab_size, (batch_size, max_seq_length))"
_TEXT = {
    "input_ids": _IDS,
    "attention_mask": "torch.ones(batch_size, max_seq_length, dtype=torch.long)",
}
_MIXED = {"input_ids": "input_ids", "attention_mask": "torch.ones_like(input_ids)"}
"""Token ids among which there are places for an image or a sound."""
_FREE = {"pixel_values": "torch.rand(batch_size, 3, height, width$dtype)"}
_SQUARE = {"pixel_values": "torch.rand(batch_size, 3, size, size$dtype)"}
_SIZE = ("size = $vision.image_size",)
_VIDEO = "torch.rand(batch_size, $vision.num_frames, 3, size, size)"
_CLIP = "torch.rand(batch_size, 8, 3, size, size$dtype)"
_WAVE = "torch.randn(batch_size, max_audio_seq_length$dtype)"
_CODEC = "torch.randn(batch_size, 1, max_audio_seq_length$dtype)"
_FRAMES = ("frames = max_audio_seq_length // 160",)
"""Of a spectrogram with one every 10 ms, where a second of sound has 16,000 samples."""
_HEARD = "torch.ones(batch_size, frames, dtype=torch.long)"
_UNCACHED = "use_cache=False"


def _spectrogram(bins: str, name: str = "input_features", **others: str) -> Kind:
    """Sounds of any length, and what goes with them."""
    inputs = {name: f"torch.randn(batch_size, frames, {bins}$dtype)", **others}
    words = ("max_seq_length",) if _IDS in others.values() else ()
    return Kind(inputs, (*_SOUND, *words), _FRAMES, _UNCACHED if words else "")


def _window(frames: str, **others: str) -> Kind:
    """Spectrograms the other way round, with a frame a column."""
    inputs = {"input_features": "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)"}
    parameters: tuple[str, ...] = _SOUND if "max_audio_seq_length" in frames else ("batch_size",)
    words = ("max_seq_length",) if _IDS in others.values() else ()
    before = (f"frames = {frames}",)
    return Kind(inputs | others, (*parameters, *words), before, _UNCACHED if words else "")


_HALF_A_MINUTE = "2 * $audio.max_source_positions"


def _places(count: str, token: str = "config.image_token_id", text: str = "") -> tuple[str, ...]:
    """Lines that make token ids with places for an image or a sound before the text.

    Ids of text are below that of a place, unless it is among the first ones.
    """
    return (
        f"places = torch.full((batch_size, {count}), {token})",
        f"text = torch.randint({text or f'0, {token}'}, (batch_size, max_seq_length))",
        "input_ids = torch.cat([places, text], dim=1)",
    )


_LATE_IDS = "config.image_token_id + 1, $text.vocab_size"
"""Of text, where the id of an image is one of the first."""
_SIDE = "(size // $vision.patch_size)"


def _image_in_text(
    count: str,
    before: tuple[str, ...] = _SIZE,
    pixels: str = "torch.rand(batch_size, 3, size, size$dtype)",
    text: str = "",
    **others: str,
) -> Kind:
    """Images whose features take places in the text."""
    lines = (*before, *_places(count, text=text))
    return Kind(_MIXED | {"pixel_values": pixels} | others, _WORDS, lines, _UNCACHED)


def _sound_in_text(
    count: str,
    before: tuple[str, ...],
    features: str,
    parameters: tuple[str, ...] = _SOUND,
    **others: str,
) -> Kind:
    """Sounds whose features take places in the text."""
    lines = (*before, *_places(count, "config.audio_token_id"))
    inputs = _MIXED | {"input_features": features} | others
    return Kind(inputs, (*parameters, "max_seq_length"), lines, _UNCACHED)


_GRID = (
    "rows, columns = height // $vision.patch_size, width // $vision.patch_size",
    "count = batch_size * rows * columns",
)
_GRIDS = "torch.tensor([[1, rows, columns]] * batch_size)"


def _patches(name: str, patch: str, **others: str) -> Kind:
    """Images cut into patches, which lie in one long list; their values are normalised ones."""
    before = (*_GRID, f"patch = {patch}")
    inputs = {name: "torch.randn(count, patch$dtype)", "grid_thw": _GRIDS, **others}
    return Kind(inputs, _IMAGE, before)


_MERGED = "rows * columns // $vision.spatial_merge_size**2"
_MARKED = "(input_ids == config.image_token_id).long()"
"""Which of the tokens are places for an image."""


def _patches_in_text(patch: str, text: str = "") -> Kind:
    """The same, where the features take places in the text."""
    inputs = {
        "pixel_values": "torch.randn(count, patch$dtype)",
        "image_grid_thw": _GRIDS,
        "mm_token_type_ids": _MARKED,
    }
    before = (*_GRID, f"patch = {patch}", *_places(_MERGED, text=text))
    return Kind(_MIXED | inputs, (*_IMAGE, "max_seq_length"), before, _UNCACHED)


_CUBE = "$vision.in_channels * $vision.temporal_patch_size * $vision.patch_size**2"
_FLAT = "$vision.num_channels * $vision.patch_size**2"

_QUESTION = (
    "vocabulary = config.qformer_config.vocab_size",
    "question = torch.randint(0, vocabulary, (batch_size, max_seq_length))",
)
"""What to look for in an image, for the part that summarises it."""

_POSITIONED = (
    *_GRID[:1],
    "positions = torch.cartesian_prod(torch.arange(rows), torch.arange(columns))",
)
"""Patches that come with their places in the image."""

_KINDS: Mapping[str, Kind] = {
    # Images
    "image": Kind(_FREE, _IMAGE),
    "image_sized": Kind(_FREE, _IMAGE),
    "image_square": Kind(_SQUARE, before=_SIZE),
    "image_oblong": Kind(_FREE, before=("height, width = $vision.image_size",)),
    "image_pair": Kind({"pixel_values": "torch.rand(batch_size, 2, 3, height, width)"}, _IMAGE),
    "image_and_depth": Kind(
        {**_FREE, "prompt_depth": "torch.rand(batch_size, 1, 192, 256)"}, _IMAGE
    ),
    "image_and_point": Kind(
        {**_SQUARE, "input_points": "size * torch.rand(batch_size, 1, 1, 2)"}, before=_SIZE
    ),
    "image_and_example": Kind(
        {
            name: "torch.rand(batch_size, 3, size, size)"
            for name in ("pixel_values", "prompt_pixel_values", "prompt_masks")
        },
        before=("size = config.image_size[1]",),
    ),
    "image_and_trimap": Kind({"pixel_values": "torch.rand(batch_size, 4, height, width)"}, _IMAGE),
    "image_and_task": Kind(
        {**_FREE, "task_inputs": "torch.randint(0, vocabulary, (batch_size, length))"},
        _IMAGE,
        ("vocabulary, length = config.text_encoder_vocab_size, config.task_seq_len",),
    ),
    "colours": Kind(_TEXT, _WORDS, more=_UNCACHED),
    "patches": _patches("hidden_states", _CUBE),
    "flat_patches": _patches("pixel_values", _FLAT),
    "coloured_patches": _patches("pixel_values", "$vision.in_channels * $vision.patch_size**2"),
    "deep_patches": _patches("pixel_values", "3 * $vision.patch_temporal * $vision.patch_size**2"),
    "merged_patches": _patches("pixel_values", _FLAT, merge_sizes="torch.full((batch_size,), 2)"),
    "small_images": Kind(
        {
            "pixel_values": "torch.randn(count, 3, config.patch_size, config.patch_size)",
            "grid_thw": _GRIDS,
        },
        _IMAGE,
        _GRID,
    ),
    "strip": Kind(
        {
            "pixel_values": "torch.randn(1, 3, side, batch_size * rows * columns * side)",
            "target_sizes": "torch.tensor([[rows, columns]] * batch_size)",
        },
        _IMAGE,
        ("side = config.patch_size", "rows, columns = height // side, width // side"),
    ),
    "padded_patches": Kind(
        {
            "pixel_values": "torch.randn(batch_size, rows * columns, patch)",
            "pixel_attention_mask": "torch.ones(batch_size, rows * columns, dtype=torch.long)",
            "spatial_shapes": "torch.tensor([[rows, columns]] * batch_size)",
        },
        _IMAGE,
        (*_GRID[:1], f"patch = {_FLAT}"),
    ),
    "positioned_patches": Kind(
        {
            "pixel_values": "torch.rand(batch_size, rows * columns, 3 * $vision.patch_size**2)",
            "pixel_position_ids": "positions.repeat(batch_size, 1, 1)",
        },
        _IMAGE,
        _POSITIONED,
    ),
    "queries": Kind(
        {
            "query_embeds": "torch.randn(batch_size, 32, config.hidden_size)",
            "encoder_hidden_states": "torch.randn(batch_size, 257, config.encoder_hidden_size)",
        }
    ),
    # Videos
    "video": Kind({"pixel_values": _VIDEO}, before=_SIZE),
    "named_video": Kind({"pixel_values_videos": _VIDEO}, before=_SIZE),
    "cropped_video": Kind(
        {"pixel_values_videos": "torch.rand(batch_size, config.frames_per_clip, 3, size, size)"},
        before=("size = config.crop_size",),
    ),
    "eight_frames": Kind({"pixel_values_videos": _CLIP}, before=_SIZE),
    "free_video": Kind(
        {"pixel_values_videos": "torch.rand(batch_size, 8, 3, height, width)"}, _IMAGE
    ),
    "free_video_and_text": Kind(
        {**_TEXT, "pixel_values_videos": "torch.rand(batch_size, 8, 3, height, width)"},
        (*_IMAGE, "max_seq_length"),
    ),
    "video_and_text": Kind({**_TEXT, "pixel_values": _VIDEO}, _WORDS, _SIZE),
    "frames_and_text": Kind(
        {**_TEXT, "pixel_values": "torch.rand(batch_size, config.num_frames, 3, size, size)"},
        _WORDS,
        ("size = config.max_img_size",),
    ),
    "named_video_and_text": Kind({**_TEXT, "pixel_values_videos": _VIDEO}, _WORDS, _SIZE),
    # Sounds
    "waveform": Kind({"input_values": _WAVE}, _SOUND),
    "waveform_to_text": Kind(
        {"input_values": _WAVE, "decoder_input_ids": _IDS},
        (*_SOUND, "max_seq_length"),
        more=_UNCACHED,
    ),
    "whole_tokens": Kind(
        {"input_values": "torch.randn(batch_size, samples)"},
        _SOUND,
        ("samples = max_audio_seq_length // config.samples_per_token * config.samples_per_token",),
    ),
    "codec": Kind({"input_values": _CODEC}, _SOUND),
    "certain_codec": Kind({"input_values": _CODEC}, _SOUND, more="sample=False"),
    "codec_states": Kind({"hidden_states": _CODEC}, _SOUND),
    "codec_and_spectrogram": Kind(
        {
            "input_values": _CODEC,
            "input_features": "torch.randn(batch_size, max_audio_seq_length // 320, 160)",
        },
        _SOUND,
    ),
    "codec_and_text": Kind({**_TEXT, "input_values": _CODEC}, (*_SOUND, "max_seq_length")),
    "codec_and_video": Kind(
        {"input_values": _CODEC, "pixel_values_videos": _CLIP},
        _SOUND,
        ("size = 336",),
    ),
    "codec_and_video_and_text": Kind(
        {**_TEXT, "input_values": _CODEC, "pixel_values_videos": _CLIP},
        (*_SOUND, "max_seq_length"),
        ("size = 336",),
    ),
    "latents": Kind({"latents": "torch.randn(batch_size, config.hidden_size, 25)"}),
    "narrow_latents": Kind({"latents": "torch.randn(batch_size, config.latent_dim, 25)"}),
    "hidden_latents": Kind({"hidden_states": "torch.randn(batch_size, config.hidden_size, 25)"}),
    "embeddings": Kind(
        {"inputs_embeds": "torch.randn(batch_size, max_seq_length, config.hidden_size)"}, _WORDS
    ),
    "codes": Kind(
        {
            "input_ids": "torch.randint(0, config.vocab_size, "
            "(batch_size, max_seq_length, config.num_codebooks))"
        },
        _WORDS,
        more=_UNCACHED,
    ),
    "text_and_codes": Kind(
        {"input_ids": "torch.cat([text, codes], dim=2)"},
        _WORDS,
        (
            "text = torch.randint(0, config.vocab_size, (batch_size, max_seq_length, 1))",
            "shape = (batch_size, max_seq_length, config.num_codebooks)",
            "codes = torch.randint(0, config.codebook_vocab_size, shape)",
        ),
        _UNCACHED,
    ),
    "spectrogram": _spectrogram("$audio.num_mel_bins"),
    "stacked_spectrogram": _spectrogram("$audio.input_dim"),
    "masked_spectrogram": _spectrogram("$audio.num_mel_bins", input_features_mask=_HEARD),
    "unnamed_spectrogram": _spectrogram("128"),
    "unheard_spectrogram": _spectrogram(
        "config.input_feat_size",
        "audio_mel",
        audio_mel_mask="torch.zeros(batch_size, frames, dtype=torch.bool)",
    ),
    "spectrogram_to_text": _spectrogram("$audio.num_mel_bins", decoder_input_ids=_IDS),
    "spectrogram_to_token": _spectrogram(
        "$audio.num_mel_bins",
        decoder_input_ids="torch.randint(0, config.vocab_size, (batch_size, 1))",
    ),
    "spectrogram_of_channels": _spectrogram(
        "config.input_feat_per_channel", decoder_input_ids=_IDS
    ),
    "spectrogram_values": Kind(
        {"input_values": "torch.randn(batch_size, config.max_length, config.num_mel_bins)"}
    ),
    "projected_spectrogram": _spectrogram("config.feature_projection_input_dim"),
    "projected_spectrogram_to_text": _spectrogram(
        "config.feature_projection_input_dim", decoder_input_ids=_IDS
    ),
    "spectrogram_of_music": _spectrogram("config.d_model", decoder_input_ids=_IDS),
    "spectrogram_and_noise": _spectrogram(
        "config.num_mel_bins",
        noise_sequence="torch.randn(batch_size, frames, config.model_in_channels)",
    ),
    "spectrogram_image_and_text": Kind(
        {**_TEXT, "input_features": "torch.randn(batch_size, 1, 1001, $audio.num_mel_bins)"},
        _WORDS,
    ),
    "columns": _window("max_audio_seq_length // 160"),
    "window": _window(_HALF_A_MINUTE),
    "masked_columns": _window("max_audio_seq_length // 160", input_features_mask=_HEARD),
    "masked_window": _window(_HALF_A_MINUTE, input_features_mask=_HEARD),
    "window_to_text": _window(_HALF_A_MINUTE, decoder_input_ids=_IDS),
    "voice_and_text": Kind({**_TEXT, "input_features": "torch.randn(batch_size, 80, 517)"}, _WORDS),
    # Images and texts, each for themselves
    "image_and_text": Kind(_TEXT | _SQUARE, _WORDS, _SIZE),
    "free_image_and_text": Kind(_TEXT | _FREE, (*_IMAGE, "max_seq_length")),
    "patches_and_text": Kind(
        {
            **_TEXT,
            "pixel_values": "torch.randn(batch_size, side**2, patch)",
            "pixel_attention_mask": "torch.ones(batch_size, side**2, dtype=torch.long)",
            "spatial_shapes": "torch.full((batch_size, 2), side)",
        },
        _WORDS,
        ("side = int($vision.num_patches**0.5)", f"patch = {_FLAT}"),
    ),
    "image_to_text": Kind({**_SQUARE, "decoder_input_ids": _IDS}, _WORDS, _SIZE, _UNCACHED),
    "image_and_queries": Kind(
        {
            "input_ids": "torch.randint(0, $text.vocab_size, (4 * batch_size, max_seq_length))",
            "attention_mask": "torch.ones(4 * batch_size, max_seq_length, dtype=torch.long)",
            **_SQUARE,
        },
        _WORDS,
        _SIZE,
    ),
    "image_and_sentence": Kind(
        {
            "pixel_values": "torch.rand(batch_size, 3, height, width)",
            "input_ids": "input_ids",
            "token_type_ids": "torch.zeros_like(input_ids)",
            "attention_mask": "torch.ones_like(input_ids)",
        },
        (*_IMAGE, "max_seq_length"),
        (
            "start, stop, end = torch.tensor([101, 1012, 102]).expand(batch_size, 3).split(1, dim=1)",
            "words = torch.randint(1996, $text.vocab_size, (batch_size, max_seq_length - 3))",
            "input_ids = torch.cat([start, words, stop, end], dim=1)",
        ),
    ),
    "image_and_words": Kind(
        {
            **_FREE,
            "classes_input_ids": "torch.randint(0, $text.vocab_size, (5 * batch_size, length))",
            "classes_attention_mask": "torch.ones(5 * batch_size, length, dtype=torch.long)",
            "tasks_input_ids": "torch.randint(0, $text.vocab_size, (batch_size, length))",
            "tasks_attention_mask": "torch.ones(batch_size, length, dtype=torch.long)",
            "classes_structure": "torch.full((batch_size,), 5)",
        },
        _IMAGE,
        ("length = 16",),
    ),
    "image_and_short_text": Kind({**_SQUARE, **_TEXT}, _WORDS, ("size = $vision.image_size",)),
    "regions_and_text": Kind(
        {
            **_TEXT,
            "visual_feats": "torch.randn(batch_size, 36, config.visual_feat_dim)",
            "visual_pos": "torch.rand(batch_size, 36, config.visual_pos_dim)",
        },
        _WORDS,
    ),
    "embedded_regions_and_text": Kind(
        {
            **_TEXT,
            "visual_embeds": "torch.randn(batch_size, 36, config.visual_embedding_dim)",
        },
        _WORDS,
    ),
    "page": Kind(
        {**_TEXT, "bbox": "torch.cat([corners, corners + sizes], dim=-1)", **_SQUARE},
        _WORDS,
        (
            "size = config.input_size",
            "corners = torch.randint(0, 500, (batch_size, max_seq_length, 2))",
            "sizes = torch.randint(0, 500, (batch_size, max_seq_length, 2))",
        ),
    ),
    "page_to_text": Kind(
        {
            **_TEXT,
            "bbox": "torch.cat([corners, corners + sizes], dim=-1)",
            **_SQUARE,
            "decoder_input_ids": _IDS,
        },
        _WORDS,
        (
            "size = config.image_size",
            "corners = torch.rand(batch_size, max_seq_length, 2) / 2",
            "sizes = torch.rand(batch_size, max_seq_length, 2) / 2",
        ),
        _UNCACHED,
    ),
    "numbered_patches_to_text": Kind(
        {
            "flattened_patches": "torch.cat([positions, patches], dim=2)",
            "decoder_input_ids": _IDS,
        },
        _WORDS,
        (
            "rows, columns = torch.arange(64) + 1, torch.arange(32) + 1",
            "positions = torch.cartesian_prod(rows, columns).repeat(batch_size, 1, 1)",
            "width = $vision.patch_embed_hidden_size",
            "patches = torch.randn(batch_size, len(rows) * len(columns), width)",
        ),
        _UNCACHED,
    ),
    # Images and sounds in texts
    "image_in_text": _image_in_text(f"{_SIDE} ** 2"),
    "reduced_image_in_text": _image_in_text(f"({_SIDE} // 4) ** 2"),
    "pooled_image_in_text": _image_in_text("config.mm_tokens_per_image"),
    "summary_in_text": _image_in_text("config.num_query_tokens"),
    "instructed_summary_in_text": _image_in_text(
        "config.num_query_tokens",
        before=(*_SIZE, *_QUESTION),
        qformer_input_ids="question",
        qformer_attention_mask="torch.ones_like(question)",
    ),
    "image_in_tiles": _image_in_text(
        "side**2 + 2 * side * (2 * side + 1)",
        before=(*_SIZE, "side = size // $vision.patch_size"),
        pixels="torch.rand(batch_size, 5, 3, size, size$dtype)",
        image_sizes="torch.tensor([[2 * size, 2 * size]] * batch_size)",
    ),
    "tall_image_in_text": _image_in_text("(size // 64) ** 2", before=("size = 1024",)),
    "soft_image_in_text": _image_in_text(
        "config.vision_soft_tokens_per_image", before=("size = 768",)
    ),
    "two_views_in_text": _image_in_text(
        f"{_SIDE} ** 2",
        before=(*_SIZE, "large = config.high_res_vision_config.image_size"),
        high_res_pixel_values="torch.rand(batch_size, 3, large, large$dtype)",
    ),
    "image_in_text_to_text": _image_in_text(
        "(size // 32) ** 2 + 1", before=("size = 768",), decoder_input_ids="text"
    ),
    "pooled_image_in_text_to_text": _image_in_text(
        "$vision.mm_tokens_per_image",
        before=("size = $vision.vision_config.image_size",),
        decoder_input_ids="text",
    ),
    "resampled_image_in_text": _image_in_text(
        "config.perceiver_config.resampler_n_latents",
        pixels="torch.rand(batch_size, 1, 3, size, size$dtype)",
    ),
    "shuffled_image_in_text": _image_in_text(
        f"({_SIDE} // config.scale_factor) ** 2",
        before=("size = 256",),
        pixels="torch.rand(batch_size, 1, 3, size, size$dtype)",
    ),
    "image_in_masked_text": Kind(
        {**_MIXED, "pixel_values": "torch.rand(batch_size, 1, 3, size, size$dtype)"},
        _WORDS,
        (
            *_SIZE,
            "side = size // $vision.patch_size // $model_part.pixel_shuffle_factor",
            *_places("side**2", "$model_part.image_token_id"),
        ),
    ),
    "image_in_query": Kind(
        _MIXED | _SQUARE,
        _WORDS,
        (*_SIZE, *_places(f"{_SIDE} ** 2", "$model_part.image_token_id")),
    ),
    "rows_in_text": _image_in_text("side * (side + 1) + 1", before=("size, side = 1024, 16",)),
    "frames_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.rand(batch_size, 4, 3, size, size$dtype)",
            "qformer_input_ids": "question",
            "qformer_attention_mask": "torch.ones_like(question)",
        },
        _WORDS,
        (*_SIZE, *_QUESTION, *_places("4 * config.num_query_tokens", "config.video_token_id")),
        _UNCACHED,
    ),
    "free_image_in_text": Kind(
        _MIXED | _FREE | {"image_sizes": "torch.tensor([[height, width]] * batch_size)"},
        (*_IMAGE, "max_seq_length"),
        (
            "side = $vision.patch_size * config.spatial_merge_size",
            *_places("(height // side) * (width // side)"),
        ),
        _UNCACHED,
    ),
    "masked_image_in_text": Kind(
        {
            **_SQUARE,
            "input_ids": "torch.randint(0, $text.vocab_size, (batch_size, length))",
            "image_embeds_position_mask": "places.repeat(batch_size, 1)",
        },
        _WORDS,
        (
            *_SIZE,
            "length = config.latent_query_num + max_seq_length",
            "places = (torch.arange(length) < config.latent_query_num).long()",
        ),
        _UNCACHED,
    ),
    "numbered_patches_in_text": Kind(
        {
            "flattened_patches": "torch.cat([positions, patches], dim=2)",
            "input_ids": "torch.randint(0, $text.vocab_size, (batch_size, length))",
            "image_embeds_position_mask": "places.repeat(batch_size, 1)",
        },
        _WORDS,
        (
            "rows, columns = torch.arange(64) + 1, torch.arange(32) + 1",
            "positions = torch.cartesian_prod(rows, columns).repeat(batch_size, 1, 1)",
            "patch = $vision.patch_embed_hidden_size",
            "patches = torch.randn(batch_size, len(rows) * len(columns), patch$dtype)",
            "length = config.latent_query_num + max_seq_length",
            "places = (torch.arange(length) < config.latent_query_num).long()",
        ),
        _UNCACHED,
    ),
    "patches_in_text": _patches_in_text(_CUBE),
    "flat_patches_in_text": _patches_in_text(_FLAT, _LATE_IDS),
    "small_images_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.randn(count, 3, side, side)",
            "image_grid_thw": _GRIDS,
            "mm_token_type_ids": _MARKED,
        },
        (*_IMAGE, "max_seq_length"),
        (*_GRID, "side = $vision.patch_size", *_places(_MERGED)),
        _UNCACHED,
    ),
    "strip_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.randn(1, 3, side, batch_size * rows * columns * side$dtype)",
            "target_sizes": "torch.tensor([[rows, columns]] * batch_size)",
        },
        (*_IMAGE, "max_seq_length"),
        (
            "side = $vision.patch_size",
            "rows, columns = height // side, width // side",
            *_places("rows * columns // 16"),
        ),
        _UNCACHED,
    ),
    "strip_in_marked_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.randn(1, 3, side, batch_size * rows * columns * side$dtype)",
            "target_sizes": "torch.tensor([[rows, columns]] * batch_size)",
            "mm_token_type_ids": _MARKED,
        },
        (*_IMAGE, "max_seq_length"),
        (
            "side = $vision.patch_size",
            "rows, columns = height // side, width // side",
            *_places("rows * columns // 16"),
        ),
        _UNCACHED,
    ),
    "padded_patches_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.randn(batch_size, rows * columns, patch$dtype)",
            "pixel_attention_mask": "torch.ones(batch_size, rows * columns, dtype=torch.long)",
            "spatial_shapes": "torch.tensor([[rows, columns]] * batch_size)",
        },
        (*_IMAGE, "max_seq_length"),
        (
            *_GRID[:1],
            f"patch = {_FLAT}",
            *_places("rows * columns // config.downsample_factor**2", text=_LATE_IDS),
        ),
        _UNCACHED,
    ),
    "positioned_patches_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.rand(batch_size, rows * columns, patch$dtype)",
            "image_position_ids": "positions.repeat(batch_size, 1, 1)",
            "mm_token_type_ids": _MARKED,
        },
        (*_IMAGE, "max_seq_length"),
        (
            *_POSITIONED,
            "patch = 3 * $vision.patch_size**2",
            *_places("rows * columns // $vision.pooling_kernel_size**2"),
        ),
        _UNCACHED,
    ),
    "unpooled_patches_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.rand(batch_size, rows * columns, 3 * side**2$dtype)",
            "image_position_ids": "positions.repeat(batch_size, 1, 1)",
            "mm_token_type_ids": _MARKED,
        },
        (*_IMAGE, "max_seq_length"),
        (
            "side = $vision.patch_size * $vision.pooling_kernel_size",
            "rows, columns = height // side, width // side",
            _POSITIONED[1],
            *_places("rows * columns"),
        ),
        _UNCACHED,
    ),
    "bare_patches_in_text": Kind(
        {**_MIXED, "pixel_values": "torch.randn(batch_size * 49, config.patch_dim)"},
        _WORDS,
        _places("49", text="config.image_token_id + 1, config.vocab_size"),
    ),
    "pooled_patches_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.rand(batch_size, side**2, 3 * $vision.patch_size**2$dtype)",
            "image_token_pooling": "torch.cat([pooling + i * side**2 for i in range(batch_size)])",
            "image_grids": "torch.tensor([[side // 3, side // 3, 0, 0]] * batch_size)",
            "image_num_crops": "torch.ones(batch_size, dtype=torch.long)",
        },
        _WORDS,
        (
            "side = $vision.image_size[0] // $vision.patch_size",
            "pooling = torch.arange(side**2).view(side // 3, 3, side // 3, 3)",
            "pooling = pooling.transpose(1, 2).reshape(-1, 9)",
            *_places("side**2 // 9", text="0, $text.vocab_size"),
        ),
        _UNCACHED,
    ),
    "grids_in_text": Kind(
        {
            **_MIXED,
            "pixel_values": "torch.randn(count, 3 * $vision.patch_size**2$dtype)",
            "image_grid_hw": "torch.tensor([[rows, columns]] * batch_size)",
        },
        (*_IMAGE, "max_seq_length"),
        (*_GRID, *_places("rows * columns // 4")),
        _UNCACHED,
    ),
    "image_and_action": Kind(
        {
            "state": "torch.randn(batch_size, config.max_state_dim$dtype)",
            "noise": "torch.randn(batch_size, config.chunk_size, config.max_action_dim$dtype)",
            "timestep": "torch.rand(batch_size)",
            **_MIXED,
            "pixel_values": "torch.rand(batch_size, 1, 3, size, size$dtype)",
            "pixel_attention_mask": "torch.ones(batch_size, 1, dtype=torch.bool)",
        },
        _WORDS,
        (
            "size = $vision.image_size",
            *_places(
                f"{_SIDE} ** 2",
                "$model_part.image_token_id",
                "0, $model_part.text_config.vocab_size",
            ),
        ),
    ),
    "crops_in_text": Kind(
        {
            **_MIXED,
            "image_pixel_values": "torch.rand(batch_size, 2, 3, size, size$dtype)",
            "image_sizes": "torch.tensor([[size, size]] * batch_size)",
            "image_attention_mask": "torch.ones(batch_size, 2, 2 * side, 2 * side)",
        },
        _WORDS,
        (
            "size = $vision.crop_size",
            "side = size // $vision.patch_size // 2",
            *_places("2 * side * (side + 1) + 1", "$vision.image_token_id"),
        ),
        _UNCACHED,
    ),
    "sound_in_text": _sound_in_text(
        "frames",
        ("frames = max_audio_seq_length // 960",),
        "torch.randn(batch_size, frames, $audio.input_size)",
        input_features_mask=_HEARD,
    ),
    "columns_in_text": _sound_in_text(
        "frames // 8",
        _FRAMES,
        "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)",
        input_features_mask=_HEARD,
    ),
    "chunks_in_text": _sound_in_text(
        "13 * chunks",
        ("chunks = max_audio_seq_length // 16000", "frames = 100 * chunks"),
        "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)",
        input_features_mask=_HEARD,
    ),
    "windows_in_text": _sound_in_text(
        "3 * windows",
        (
            "frames = max_audio_seq_length // 320",
            "windows = (frames + config.window_size - 1) // config.window_size",
        ),
        "torch.randn(batch_size, frames, $audio.input_dim$dtype)",
    ),
    "half_a_minute_in_text": _sound_in_text(
        "frames // 8",
        (f"frames = {_HALF_A_MINUTE}",),
        "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)",
        ("batch_size",),
        input_features_mask=_HEARD,
    ),
    "half_a_minute_in_late_text": Kind(
        {
            **_MIXED,
            "input_features": "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)",
        },
        _WORDS,
        (
            f"frames = {_HALF_A_MINUTE}",
            *_places(
                "frames // 8",
                "config.audio_token_id",
                "config.audio_token_id + 1, $text.vocab_size",
            ),
        ),
        _UNCACHED,
    ),
    "sound_with_text": Kind(
        {
            "input_ids": "torch.randint(0, $text.vocab_size, (batch_size, frames // 8))",
            "input_features": "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)",
        },
        _SOUND,
        _FRAMES,
        _UNCACHED,
    ),
    "text_and_speech": Kind(
        {
            "input_ids": "torch.cat([text, places], dim=1)",
            "audio_latents": "torch.randn(batch_size, 25, config.latent_dim)",
        },
        _WORDS,
        (
            "first = config.audio_latent_token_id + 1",
            "text = torch.randint(first, config.vocab_size, (batch_size, max_seq_length))",
            "places = torch.full((batch_size, 25), config.audio_latent_token_id)",
        ),
        _UNCACHED,
    ),
    # Series of figures
    "channels": Kind(
        {"past_values": "torch.randn(batch_size, config.context_length, channels)"},
        before=("channels = config.num_input_channels",),
    ),
    "series": Kind(
        {"past_values": "torch.randn(batch_size, 512)"},
    ),
    "padded_series": Kind(
        {
            "past_values": "torch.randn(batch_size, config.context_length)",
            "past_values_padding": "torch.zeros(batch_size, config.context_length, "
            "dtype=torch.long)",
            "freq": "torch.zeros(batch_size, 1, dtype=torch.long)",
        }
    ),
    "lagged_series": Kind(
        {
            "past_values": "torch.randn(batch_size, past)",
            "past_time_features": "torch.randn(batch_size, past, 1)",
            "past_observed_mask": "torch.ones(batch_size, past)",
            "future_values": "torch.randn(batch_size, future)",
            "future_time_features": "torch.randn(batch_size, future, 1)",
        },
        before=(
            "past = config.context_length + max(config.lags_sequence)",
            "future = config.prediction_length",
        ),
        more=_UNCACHED,
    ),
    "decisions": Kind(
        {
            "states": "torch.randn(batch_size, max_seq_length, config.state_dim)",
            "actions": "torch.randn(batch_size, max_seq_length, config.act_dim)",
            "rewards": "torch.randn(batch_size, max_seq_length, 1)",
            "returns_to_go": "torch.randn(batch_size, max_seq_length, 1)",
            "timesteps": "torch.arange(max_seq_length).repeat(batch_size, 1)",
            "attention_mask": "torch.ones(batch_size, max_seq_length)",
        },
        _WORDS,
    ),
    "bytes": Kind(
        {"inputs": "torch.randint(0, config.vocab_size, (batch_size, length))"},
        before=("length = config.max_position_embeddings",),
    ),
}

_FOLLOWS = "Follows objects through a video, in a session that its forward method needs."
_SIGLIP = 'vision_config={"image_size": 896, "patch_size": 14}'
"""The images that the model is made for; the defaults leave fewer patches than it wants."""
_NO_MATCH = "The default backbone and what follows it have different numbers of channels."

_CHOICES: Mapping[str, Choice] = {
    # Images
    "conditional_detr": Choice("image", height=800),
    "dab-detr": Choice("image", height=800),
    "deformable_detr": Choice("image", height=800),
    "detr": Choice("image", height=800),
    "table-transformer": Choice("image", height=800),
    "d_fine": Choice("image", height=640),
    "deimv2": Choice("image", height=640),
    "rt_detr": Choice("image", height=640),
    "rt_detr_v2": Choice("image", height=640),
    "rt_detr_resnet": Choice("image", height=640),
    "lw_detr": Choice("image", options="projector_scale_factors=[1.0]", height=640),
    "lw_detr_vit": Choice("image_square"),
    "rf_detr": Choice("image", height=560),
    "pp_doclayout_v2": Choice("image", options="class_thresholds=[0.5] * 25", height=800),
    "pp_doclayout_v3": Choice("image", height=800),
    "pp_doclayout_v4": Choice("image", height=800),
    "depth_pro": Choice("image", height=1536),
    "glpn": Choice("image", height=480, width=640),
    "zoedepth": Choice("image", height=384, width=512),
    "eomt": Choice("image_square"),
    "eomt_dinov3": Choice("image_square"),
    "mask2former": Choice("image", height=384),
    "maskformer": Choice("image", model="MaskFormerForInstanceSegmentation", height=384),
    "oneformer": Choice("image_and_task", height=512),
    "segformer": Choice(
        "image",
        model="SegformerForSemanticSegmentation",
        task="semantic_segmentation",
        height=512,
    ),
    "upernet": Choice("image", task="semantic_segmentation", height=512),
    "seggpt": Choice(
        "image_and_example", model="SegGptForImageSegmentation", task="semantic_segmentation"
    ),
    "slanet": Choice("image", height=488),
    "slanext": Choice("image_square"),
    "superpoint": Choice("image", height=480, width=640),
    "superglue": Choice("image_pair", height=480, width=640),
    "lightglue": Choice("image_pair", height=480, width=640),
    "efficientloftr": Choice("image_pair", height=480, width=640),
    "prompt_depth_anything": Choice("image_and_depth", height=756, width=1008),
    "vitmatte": Choice(
        "image_and_trimap",
        options="convstream_hidden_sizes=[48, 96, 192], fusion_hidden_sizes=[256, 128, 64, 32]",
        height=512,
    ),
    "vitpose": Choice("image_oblong", task="keypoint_detection"),
    "uvdoc": Choice(left_out=_NO_MATCH),
    "uvdoc_backbone": Choice("image", height=712, width=488),
    "pp_ocrv5_mobile_det": Choice("image", height=640, task="text_detection"),
    "pp_ocrv5_mobile_rec": Choice(
        left_out="The default backbone makes lines of text too low for what follows it."
    ),
    "pp_ocrv5_server_det": Choice(
        left_out="The default configuration lacks the settings of the intraclass blocks."
    ),
    "pp_ocrv6_medium_det": Choice(
        left_out="The default configuration lacks the settings of the intraclass blocks."
    ),
    "pp_ocrv6_small_det": Choice(left_out=_NO_MATCH),
    "pp_ocrv5_server_rec": Choice("image", height=48, width=320),
    "pp_ocrv6_small_rec": Choice("image", height=48, width=320),
    "pp_ocrv6_tiny_rec": Choice("image", height=48, width=320),
    "edgetam": Choice(left_out=_NO_MATCH),
    "edgetam_vision_model": Choice(left_out=_NO_MATCH),
    "edgetam_video": Choice(left_out=_FOLLOWS),
    "sam2_video": Choice(left_out=_FOLLOWS),
    "sam3_tracker_video": Choice(left_out=_FOLLOWS),
    "sam3_video": Choice(left_out=_FOLLOWS),
    "sapiens2": Choice(model="Sapiens2Model", task="image_feature_extraction"),
    "sam": Choice("image_and_point"),
    "sam_hq": Choice("image_and_point"),
    "sam2": Choice("image_and_point", vision="config.vision_config.backbone_config"),
    "sam3_tracker": Choice("image_and_point"),
    "sam3": Choice(
        "image_and_short_text",
        vision="config.vision_config.backbone_config",
        task="mask_generation",
    ),
    "sam3_lite_text": Choice(
        "image_and_short_text",
        vision="config.vision_config.backbone_config",
        task="mask_generation",
    ),
    "sam3_lite_text_text_model": Choice("colours", task="feature_extraction"),
    "imagegpt": Choice("colours", model="ImageGPTForCausalImageModeling", task="image_generation"),
    "timm_wrapper": Choice("image"),
    "timm_backbone": Choice("image", options='backbone="resnet50"'),
    "mlcd_vision_model": Choice(left_out="The same classes as mlcd."),
    "yolos": Choice("image", height=512, width=864),
    "perceiver": Choice("bytes", model="PerceiverForMaskedLM", task="fill_mask"),
    "vision-encoder-decoder": Choice("image_to_text", task="image_to_text"),
    "cosmos3_edge_vision": Choice("flat_patches"),
    "hunyuan_vl_vision": Choice("flat_patches"),
    "glm_image_vision": Choice("coloured_patches"),
    "glm_image_vqmodel": Choice("coloured_patches"),
    "muse_glimmer_vision": Choice("deep_patches"),
    "muse_spark_vision": Choice("deep_patches"),
    "video_llama_3_vision": Choice("merged_patches"),
    "kimi_k25_vision": Choice("small_images"),
    "minicpm_ocr_vision": Choice("strip", height=448),
    "minicpmv4_7_vision": Choice("strip", height=448),
    "siglip2_vision_model": Choice("padded_patches", height=256),
    "gemma4_vision": Choice("positioned_patches", height=768),
    "blip_2_qformer": Choice("queries"),
    # Videos
    "timesformer": Choice("video", task="video_feature_extraction"),
    "videomae": Choice("video", task="video_feature_extraction"),
    "vivit": Choice("video", task="video_feature_extraction"),
    "videoprism_vision_model": Choice("named_video", task="video_feature_extraction"),
    "videoprism": Choice("named_video_and_text", task="zero_shot_video_classification"),
    "vjepa2": Choice("cropped_video", task="video_feature_extraction"),
    "videomt": Choice("eight_frames", task="universal_segmentation"),
    "xclip": Choice("video_and_text", task="zero_shot_video_classification"),
    "tvp": Choice("frames_and_text", task="video_feature_extraction"),
    "pe_video_encoder": Choice("free_video", task="video_feature_extraction", height=336),
    "pe_video": Choice("free_video_and_text", task="zero_shot_video_classification", height=336),
    # Sounds
    "audio-spectrogram-transformer": Choice("spectrogram_values"),
    "moonshine": Choice("waveform_to_text"),
    "moonshine_streaming": Choice(
        left_out="The default configuration lacks the number of heads of keys and values."
    ),
    "speecht5": Choice("waveform_to_text", model="SpeechT5ForSpeechToText"),
    "speech-encoder-decoder": Choice("waveform_to_text"),
    "whisper": Choice("window_to_text"),
    "speech_to_text": Choice("spectrogram_of_channels"),
    "canary": Choice("spectrogram_to_text", text="config"),
    "cohere_asr": Choice("spectrogram_to_text", text="config"),
    "wav2vec2-bert": Choice("projected_spectrogram"),
    "seamless_m4t": Choice("projected_spectrogram_to_text"),
    "seamless_m4t_v2": Choice("projected_spectrogram_to_text"),
    "pop2piano": Choice("spectrogram_of_music", task="audio_to_music"),
    "univnet": Choice("spectrogram_and_noise", task="vocoder"),
    "qwen2_audio_encoder": Choice("window"),
    "voxtral_encoder": Choice("window"),
    "audioflamingo3_encoder": Choice("masked_window"),
    "moss_transcribe_diarize_audio": Choice("window"),
    "glmasr_encoder": Choice("columns"),
    "voxtral_realtime_encoder": Choice("columns"),
    "fun_asr_nano_encoder": Choice("masked_spectrogram"),
    "qwen3_asr_encoder": Choice("masked_columns"),
    "gemma3n_audio": Choice("unheard_spectrogram", task="audio_feature_extraction"),
    "gemma4_audio": Choice("unnamed_spectrogram"),
    "granite_speech5_ctc": Choice("stacked_spectrogram"),
    "granite_speech5_encoder": Choice("stacked_spectrogram"),
    "nemotron3_5_transcribe_audio": Choice("spectrogram", audio="config.asr_config"),
    "nemotron3_5_transcribe_word_timestamp": Choice("embeddings"),
    "nemotron3_5_asr": Choice("spectrogram_to_token"),
    "nemotron_asr_streaming": Choice("spectrogram_to_token"),
    "parakeet_rnnt": Choice("spectrogram_to_token"),
    "parakeet_tdt": Choice("spectrogram_to_token"),
    "muse_spark_audio": Choice("whole_tokens"),
    "clap": Choice("spectrogram_image_and_text", task="zero_shot_audio_classification"),
    "clvp": Choice("voice_and_text", task="text_to_speech"),
    "dac": Choice("codec"),
    "encodec": Choice("codec"),
    "mimi": Choice("codec"),
    "mimi_encoder": Choice("codec"),
    "mimi_decoder": Choice("latents"),
    "xcodec": Choice("codec"),
    "xcodec2": Choice("codec_and_spectrogram"),
    "neucodec": Choice("codec_and_spectrogram"),
    "pocket_tts_audio_tokenizer": Choice("codec"),
    "pocket_tts_audio_tokenizer_encoder": Choice("codec"),
    "pocket_tts_audio_tokenizer_decoder": Choice("narrow_latents"),
    "vibevoice_acoustic_tokenizer": Choice("certain_codec"),
    "vibevoice_acoustic_tokenizer_encoder": Choice("codec_states"),
    "vibevoice_acoustic_tokenizer_decoder": Choice("hidden_latents"),
    "pe_audio_encoder": Choice("codec"),
    "pe_audio": Choice("codec_and_text", task="zero_shot_audio_classification"),
    "pe_audio_video_encoder": Choice(
        "codec_and_video",
    ),
    "pe_audio_video": Choice("codec_and_video_and_text", task="zero_shot_video_classification"),
    "csm": Choice("codes", task="text_to_speech"),
    "moshi": Choice("colours", model="MoshiForCausalLM", task="text_to_speech"),
    "kyutai_speech_to_text": Choice("text_and_codes"),
    # Images and texts
    "align": Choice("free_image_and_text"),
    "clipseg": Choice(
        "image_and_text", model="CLIPSegForImageSegmentation", task="zero_shot_segmentation"
    ),
    "owlv2": Choice("image_and_queries"),
    "owlvit": Choice("image_and_queries"),
    "siglip2": Choice("patches_and_text"),
    "vision-text-dual-encoder": Choice("image_and_text"),
    "bridgetower": Choice("image_and_text", task="multimodal_feature_extraction"),
    "flava": Choice("image_and_text", task="multimodal_feature_extraction"),
    "vilt": Choice("image_and_text", task="multimodal_feature_extraction", model="ViltModel"),
    "git": Choice("image_and_text", text="config"),
    "blip": Choice("image_and_text"),
    "grounding-dino": Choice("image_and_sentence", height=800),
    "mm-grounding-dino": Choice("image_and_sentence", height=800),
    "omdet-turbo": Choice("image_and_words", height=640),
    "lxmert": Choice("regions_and_text", task="multimodal_feature_extraction"),
    "visual_bert": Choice("embedded_regions_and_text", task="multimodal_feature_extraction"),
    "layoutlmv3": Choice("page", task="document_feature_extraction"),
    "udop": Choice("page_to_text", task="document_to_text"),
    "pix2struct": Choice("numbered_patches_to_text"),
    "pp_formulanet": Choice("image_to_text", task="image_to_text"),
    # Images and sounds in texts
    "llava": Choice("image_in_text", options="image_token_index=31999"),
    "vipllava": Choice("image_in_text", options="image_token_index=31999"),
    "deepseek_vl": Choice("image_in_text", options="image_token_id=31999"),
    "janus": Choice("image_in_text", options="image_token_id=31999"),
    "paligemma": Choice("image_in_text"),
    "got_ocr2": Choice("reduced_image_in_text"),
    "pp_chart2table": Choice("reduced_image_in_text"),
    "llava_next": Choice("image_in_tiles", options="image_token_index=31999"),
    "llava_next_video": Choice("image_in_tiles", options="image_token_index=31999"),
    "blip-2": Choice("summary_in_text", options="image_token_index=50265"),
    "instructblip": Choice("instructed_summary_in_text", options="image_token_index=50265"),
    "qwen3_5": Choice("patches_in_text", model="Qwen3_5Model", task="image_text_to_text"),
    "glm_ocr": Choice("patches_in_text", options='vision_config={"out_hidden_size": 1536}'),
    "cosmos3_edge": Choice("flat_patches_in_text"),
    "deepseek_vl_hybrid": Choice("two_views_in_text", options="image_token_id=31999"),
    "fast_vlm": Choice("tall_image_in_text"),
    "florence2": Choice("image_in_text_to_text", options="image_token_id=50264"),
    "gemma3": Choice("pooled_image_in_text", options=_SIGLIP),
    "shieldgemma2": Choice(
        "pooled_image_in_text",
        model="ShieldGemma2ForImageClassification",
        task="image_classification",
        options=_SIGLIP,
    ),
    "gemma3n": Choice("soft_image_in_text"),
    "gemma4": Choice(
        "positioned_patches_in_text",
        options='vision_config={"model_type": "gemma4_vision"}',
        height=768,
    ),
    "gemma4_unified": Choice(
        "unpooled_patches_in_text",
        options='vision_config={"model_type": "gemma4_unified_vision"}',
        height=768,
    ),
    "embedding_gemma2": Choice(
        "positioned_patches_in_text",
        options='vision_config={"model_type": "gemma4_vision"}',
        height=768,
    ),
    "idefics2": Choice("resampled_image_in_text", options="image_token_id=31999"),
    "idefics3": Choice("shuffled_image_in_text", options="image_token_id=31999"),
    "smolvlm": Choice("shuffled_image_in_text", options="image_token_id=31999"),
    "instructblipvideo": Choice("frames_in_text", options="video_token_index=50265"),
    "kosmos-2": Choice("masked_image_in_text"),
    "kosmos-2.5": Choice("numbered_patches_in_text"),
    "lfm2_vl": Choice("padded_patches_in_text", height=256),
    "lighton_ocr": Choice("free_image_in_text", height=1008),
    "minicpm_ocr": Choice("strip_in_text", options="image_token_id=248319", height=448),
    "minicpmv4_6": Choice(
        "strip_in_text",
        model="MiniCPMV4_6Model",
        task="image_text_to_text",
        options="image_token_id=248319",
        height=448,
    ),
    "minicpmv4_7": Choice(
        "strip_in_marked_text",
        model="MiniCPMV4_7Model",
        task="image_text_to_text",
        options="image_token_id=248319",
        height=448,
    ),
    "modernvbert": Choice(
        "image_in_masked_text", options='image_token_id=50367, vision_config={"image_size": 512}'
    ),
    "colmodernvbert": Choice(
        "image_in_masked_text",
        options=(
            'vlm_config={"model_type": "modernvbert", "image_token_id": 50367, '
            '"vision_config": {"image_size": 512}}'
        ),
        vision="config.vlm_config.vision_config",
        model_part="config.vlm_config",
    ),
    "colpali": Choice(
        "image_in_query",
        vision="config.vlm_config.vision_config",
        model_part="config.vlm_config",
    ),
    "ultravbert": Choice(
        "image_in_masked_text", options='image_token_id=31999, vision_config={"image_size": 512}'
    ),
    "molmo2": Choice("pooled_patches_in_text"),
    "neomme": Choice("bare_patches_in_text", task="multimodal_feature_extraction"),
    "nemotron_h_omni": Choice("grids_in_text", options="image_token_id=131071", height=512),
    "paddleocr_vl": Choice("small_images_in_text", height=392),
    "phi4_multimodal": Choice("crops_in_text", model="Phi4MultimodalForCausalLM"),
    "pi0": Choice(
        "image_and_action",
        vision="config.vlm_config.vision_config",
        model_part="config.vlm_config",
        task="robotics",
    ),
    "t5gemma2": Choice("pooled_image_in_text_to_text", vision="config.encoder"),
    "t5gemma2_encoder": Choice(left_out="The default configuration lacks the dropout rate."),
    "unlimited_ocr": Choice("rows_in_text"),
    "video_llava": Choice("image_in_text", options="image_token_index=31999"),
    "fun_asr_nano": Choice("sound_in_text"),
    "glmasr": Choice("columns_in_text"),
    "granite_speech": Choice("windows_in_text"),
    "granite_speech_plus": Choice("windows_in_text"),
    "moss_transcribe_diarize": Choice("half_a_minute_in_text"),
    "qwen3_asr": Choice("chunks_in_text", options='audio_config={"output_dim": 2048}'),
    "voxtral": Choice("half_a_minute_in_late_text", options="audio_token_id=24"),
    "voxtral_realtime": Choice("sound_with_text"),
    "pocket_tts": Choice("text_and_speech", model="PocketTTSModel", task="text_to_speech"),
    "gradium_phonon_tts": Choice(
        "text_and_speech", model="GradiumPhononTTSModel", task="text_to_speech"
    ),
    "aya_vision": Choice(
        left_out="The default image encoder has a width that its heads do not divide."
    ),
    "chameleon": Choice(left_out="The default configuration lacks the vocabulary of images."),
    "emu3": Choice(left_out="The default configuration lacks the vocabulary of images."),
    "cohere_compass": Choice(
        left_out="The default configuration lacks the settings of the attention layers."
    ),
    "deepseek_ocr2": Choice(left_out="The default configuration lacks the kinds of the layers."),
    "diffusion_gemma": Choice(left_out="The default configuration lacks the number of experts."),
    "granite4_vision": Choice(
        left_out="The default configuration lacks the layers to take features from."
    ),
    "hunyuan_vl": Choice(
        left_out="The default configuration lacks the size of the attention heads."
    ),
    "perception_lm": Choice(left_out="The default image encoder lacks its settings."),
    "qwen3_omni_moe": Choice(
        left_out="The default configuration lacks the size of the shared experts."
    ),
    "qwen4_exp": Choice(left_out="The default configuration lacks the number of attention heads."),
    "dinat": Choice(left_out="Needs the package natten, which has to be built for the machine."),
    "layoutlmv2": Choice(left_out="Needs the package detectron2, which is not on PyPI."),
    # Series of figures
    "patchtst": Choice("channels"),
    "patchtsmixer": Choice("channels"),
    "timesfm": Choice("padded_series", model="TimesFmModel", task="time_series_forecasting"),
    "timesfm2_5": Choice("series", model="TimesFm2_5Model", task="time_series_forecasting"),
    "autoformer": Choice(
        "lagged_series",
        options="prediction_length=24, num_time_features=1",
        task="time_series_forecasting",
    ),
    "informer": Choice(
        "lagged_series",
        options="prediction_length=24, num_time_features=1",
        task="time_series_forecasting",
    ),
    "time_series_transformer": Choice(
        "lagged_series",
        options="prediction_length=24, num_time_features=1",
        task="time_series_forecasting",
    ),
    "decision_transformer": Choice("decisions", task="reinforcement_learning"),
}

_TASKS = {
    "OBJECT_DETECTION": "object_detection",
    "ZERO_SHOT_OBJECT_DETECTION": "zero_shot_object_detection",
    "UNIVERSAL_SEGMENTATION": "universal_segmentation",
    "DEPTH_ESTIMATION": "depth_estimation",
    "KEYPOINT_DETECTION": "keypoint_detection",
    "KEYPOINT_MATCHING": "keypoint_matching",
    "MASK_GENERATION": "mask_generation",
    "IMAGE_MATTING": "image_matting",
    "IMAGE_TO_IMAGE": "image_to_image",
    "TABLE_RECOGNITION": "table_recognition",
    "TEXT_RECOGNITION": "image_to_text",
    "IMAGE_TEXT_TO_TEXT": "image_text_to_text",
    "SPEECH_SEQ_2_SEQ": "automatic_speech_recognition",
    "RNNT": "automatic_speech_recognition",
    "TDT": "automatic_speech_recognition",
    "RETRIEVAL": "visual_document_retrieval",
    "TIME_SERIES_PREDICTION": "time_series_forecasting",
    "TEXT_TO_WAVEFORM": "text_to_speech",
    "MULTIMODAL_LM": "image_text_to_text",
}
"""The heads that are the point of an architecture which has them, the first one first."""


def survey() -> list[dict[str, Any]]:
    """A row for every architecture of the installed library, also of those that get no script."""
    return [_row(each) for each in common.architectures() if not common.is_text(each)]


def _row(architecture: common.Architecture) -> dict[str, Any]:
    """One line of the catalogue; creates the model, but on the meta device."""
    choice = _CHOICES.get(architecture.model_type, Choice())
    head, name = _head(architecture, choice)
    row: dict[str, Any] = {
        "name": architecture.model_type,
        "kind": "",
        "config": architecture.config,
        "model": name,
        "auto": _auto(architecture, name),
        "task": choice.task or _TASKS.get(head) or _task(architecture),
        "options": choice.options,
        "source": architecture.source,
        "documented_with": architecture.checkpoint,
    }
    reason = choice.left_out or _unavailable(architecture)
    if reason:
        return row | {"left_out": reason}
    try:
        config = _config(architecture.config, choice.options)
        model = common.model_class(name, architecture.module)
        row["parameters"] = common.parameters(config, model)
    except Exception as error:
        return row | {"left_out": f"TODO {type(error).__name__} {str(error)[:100]}"}
    if row["parameters"] > common.LARGEST:
        size = f"{row['parameters'] / 1e9:.1f}"
        return row | {"left_out": f"The default configuration has {size} B parameters."}
    return row | _calling(architecture, choice, config, model)


def _head(architecture: common.Architecture, choice: Choice) -> tuple[str, str]:
    """Which of its heads is the point of an architecture, if any, and the class to create."""
    heads = {head: name for head, name in architecture.heads.items() if head in _TASKS}
    if choice.model:
        of_choice = [head for head, name in architecture.heads.items() if name == choice.model]
        return next(iter(of_choice), ""), choice.model
    head = next((head for head in _TASKS if head in heads), "")
    return head, heads.get(head) or architecture.model


def _auto(architecture: common.Architecture, name: str) -> str:
    """The class that creates the model in a given precision."""
    if name == architecture.base:
        return "AutoModel"
    return next((_AUTO[head] for head in _AUTO if architecture.heads.get(head) == name), "")


def _task(architecture: common.Architecture) -> str:
    """What features are extracted from, where there is no head for more than that."""
    if "ZERO_SHOT_IMAGE_CLASSIFICATION" in architecture.heads:
        return "zero_shot_image_classification"
    if "CTC" in architecture.heads and architecture.base.endswith("CTC"):
        return "automatic_speech_recognition"
    sense = {
        "pixel_values": "image",
        "pixel_values_videos": "video",
        "input_values": "audio",
        "input_features": "audio",
        "past_values": "time_series",
    }.get(architecture.main_input_name)
    first = next((each for each in architecture.modalities if each != "text"), "")
    return f"{sense or first}_feature_extraction" if sense or first else "feature_extraction"


def _unavailable(architecture: common.Architecture) -> str:
    """Why a model cannot be created here, if it cannot."""
    if architecture.requires:
        return f"Needs the package {' and '.join(architecture.requires)}."
    return ""


def _config(name: str, options: str) -> Any:
    """The configuration that a script creates."""
    import transformers

    return eval(f"transformers.{name}({options})", {"transformers": transformers})


def _calling(
    architecture: common.Architecture, choice: Choice, config: Any, model: type
) -> dict[str, Any]:
    """How to call a model: the kind of its inputs, and their sizes by default."""
    parts = _parts(config) | {"model_part": ""}
    parts |= {name: place for name in parts if (place := getattr(choice, name))}
    height, width = _size(config)
    if choice.height:
        height, width = choice.height, choice.width or choice.height
    kind = choice.kind or _kind(architecture, inspect.signature(model.forward).parameters)
    if kind == "image" and not choice.kind:
        kind = _image_kind(architecture, model, height, width)
    if kind not in _KINDS:
        return {"left_out": f"TODO no kind {kind}"}
    parameters = _KINDS[kind].parameters
    longest = _longest(parts["text"], config)
    return {
        "kind": kind,
        **parts,
        "height": height if "height" in parameters else "",
        "width": width if "height" in parameters else "",
        "max_seq_length": longest if "max_seq_length" in parameters else "",
        "checkpoint": _checkpoint(architecture),
    }


def _parts(config: Any) -> dict[str, str]:
    """Where a configuration keeps the figures of its parts."""
    candidates = {
        "text": ("text_config", "decoder_config", "decoder"),
        "vision": ("vision_config", "backbone_config", "image_config", "encoder"),
        "audio": ("encoder_config", "audio_config", "vision_config"),
    }
    return {
        part: next(
            (f"config.{name}" for name in names if getattr(config, name, None) is not None),
            "config",
        )
        for part, names in candidates.items()
    }


def _size(config: Any) -> tuple[int, int]:
    """Height and width of the images that a model is configured for."""
    for part in (
        config,
        *(getattr(config, name, None) for name in ("vision_config", "backbone_config")),
    ):
        size = getattr(part, "image_size", None)
        if size:
            return tuple(size) if isinstance(size, (list, tuple)) else (size, size)
    return 224, 224


def _longest(where: str, config: Any) -> int | str:
    """The length of text to use instead of the standard one, if that is too long."""
    text = getattr(config, where.partition(".")[2], None) or config
    positions = getattr(text, "max_position_embeddings", None) or 0
    return positions if 0 < positions < 128 else ""


def _kind(architecture: common.Architecture, arguments: Mapping[str, Any]) -> str:
    """The kind of inputs that the names of the arguments suggest."""
    first = next(iter(arguments.keys() - {"self"}), "")
    names = [name for name in arguments if name != "self"]
    first = names[0]
    if first == "pixel_values" and "input_ids" not in names and "grid_thw" not in names:
        return "image"
    if names[:2] == ["input_ids", "pixel_values"] and "past_key_values" not in names:
        return "image_and_text"
    if "grid_thw" in names:
        return {"hidden_states": "patches", "pixel_values": "patches_named"}.get(first, "")
    if first == "input_values":
        return "waveform"
    if first == "input_features":
        return "spectrogram"
    return ""


def _image_kind(architecture: common.Architecture, model: Any, height: int, width: int) -> str:
    """Whether a model takes images of any size, or of the one that it is created for."""
    from transformers import AutoConfig  # noqa: F401

    other = (height + 64, width + 128)
    if _runs(model, _config(architecture.config, ""), *other):
        return "image"
    try:
        sized = _config(architecture.config, f"image_size={other}")
    except Exception:
        return "image_square" if height == width else "image_oblong"
    if _runs(model, sized, *other):
        return "image_sized"
    return "image_square" if height == width else "image_oblong"


def _runs(model: Any, config: Any, height: int, width: int) -> bool:
    """Whether a model runs with images of a size; nothing is computed."""
    import torch

    with torch.device("meta"):
        try:
            model(config).eval()(torch.rand(1, 3, height, width))
        except Exception:
            return False
    return True


def _checkpoint(architecture: common.Architecture) -> str:
    return architecture.checkpoint


_AUTO = {
    "IMAGE_TEXT_TO_TEXT": "AutoModelForImageTextToText",
    "MULTIMODAL_LM": "AutoModelForMultimodalLM",
    "SPEECH_SEQ_2_SEQ": "AutoModelForSpeechSeq2Seq",
    "CAUSAL_LM": "AutoModelForCausalLM",
    "PRETRAINING": "AutoModelForPreTraining",
    "IMAGE_CLASSIFICATION": "AutoModelForImageClassification",
    "IMAGE": "AutoModel",
}
"""The classes that create models with a head in a given precision."""


def scripts(rows: Sequence[Mapping[str, str]]) -> Iterator[Script]:
    """A script for every architecture that is not left out."""
    return (_script(row) for row in rows if row["kind"])


def _script(row: Mapping[str, str]) -> Script:
    kind = _KINDS[row["kind"]]
    size = int(row["parameters"])
    large = size > common.ABOVE_THIS_BFLOAT16
    creator = row["auto"] if large else row["model"]
    own = ("pretrained",) if row["checkpoint"] else ()
    defaults = {name: int(row[name]) for name in ("max_seq_length", "height", "width") if row[name]}
    usual = {"height": 224, "width": 224}
    return Script(
        corpus="transformers",
        name=common.file_name(row["name"]),
        author=common.author(row["checkpoint"] or row["documented_with"]),
        task=row["task"],
        license=common.license_of(row["checkpoint"]),
        source=f"{row['model']} of transformers in its default configuration.\n\n"
        f"{common.url(row['source'])}",
        imports=(f"from transformers import {', '.join(sorted((creator, row['config'])))}",),
        parameters=(*kind.parameters, *own),
        defaults={name: value for name, value in defaults.items() if usual.get(name) != value},
        params=size,
        body=_body(row, kind, creator, large),
        sample=row["name"] in _SAMPLES,
    )


_SAMPLES: tuple[str, ...] = ()


def _body(row: Mapping[str, str], kind: Kind, creator: str, large: bool) -> str:
    more = f", {kind.more}" if kind.more else ""
    return "\n".join(
        [
            "# The model and its inputs",
            *_creation(row, creator, large),
            "model.eval()",
            *_inputs(row, kind, large),
            "",
            "# Call the model",
            f"model(**inputs{more})",
        ]
    )


_PARTS = {"text": "language", "vision": "vision", "audio": "audio", "model_part": "whole"}
"""What scripts call the configurations of the parts of a model."""


def _inputs(row: Mapping[str, str], kind: Kind, large: bool) -> list[str]:
    """Lines that make the inputs."""
    lines = [*kind.before, *kind.inputs.values()]
    places = {"dtype": ", dtype=torch.bfloat16" if large else ""}
    before = []
    for part, name in _PARTS.items():
        place = row[part] or "config"
        places[part] = name if "." in place else place
        if "." in place and any(f"${part}." in line for line in lines):
            before.append(f"{name} = model.{place}")
    filled = [Template(line).substitute(places) for line in lines]
    if any(re.search(r"\bconfig\.", line) for line in filled):
        before.insert(0, "config = model.config")
    for line in filled[: len(kind.before)]:
        before += _fitted(line)
    return before + _mapping(dict(zip(kind.inputs, filled[len(kind.before) :], strict=True)))


def _creation(row: Mapping[str, str], creator: str, large: bool) -> list[str]:
    """Lines that create the model, with published or with random weights.

    Only the ``Auto`` classes have a public way to create a model in bfloat16 right away, without
    one in float32 before.
    """
    options = [row["options"]] if row["options"] else []
    if row["kind"] == "image_sized":
        options += ["image_size=(height, width)"]
    config = f"{row['config']}({', '.join(options)})"
    function, arguments = creator, [config]
    if large:
        function, arguments = f"{creator}.from_config", [config, "dtype=torch.bfloat16"]
    if not row["checkpoint"]:
        return _call("model = ", function, arguments)
    dtype = "torch.bfloat16" if large else "torch.float32"
    published = [f'"{row["checkpoint"]}"', f"dtype={dtype}"]
    return [
        "if pretrained:",
        *_call("    model = ", f"{creator}.from_pretrained", published),
        "else:",
        *_call("    model = ", function, arguments),
    ]


def _fitted(line: str, after: str = "") -> list[str]:
    """A line that ends in a call, on as many lines as it needs."""
    if len(line + after) <= WIDTH:
        return [line + after]
    before, _, inside = line.partition("(")
    name = before.rsplit(maxsplit=1)[-1]
    return _call(before.removesuffix(name), name, [inside.removesuffix(")")], after)


def _call(before: str, function: str, arguments: Sequence[str], after: str = "") -> list[str]:
    """A call on one line, or on three where it is too long for that."""
    inside = ", ".join(arguments)
    line = f"{before}{function}({inside}){after}"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(before) - len(before.lstrip()))
    return [f"{before}{function}(", f"{indent}    {inside}", f"{indent}){after}"]


def _mapping(inputs: Mapping[str, str]) -> list[str]:
    """The inputs, on one line where there is room for it."""
    entries = [f'"{name}": {expression}' for name, expression in inputs.items()]
    line = f"inputs = {{{', '.join(entries)}}}"
    if len(entries) == 1 and len(line) <= WIDTH:
        return [line]
    lines = [line for entry in entries for line in _fitted(f"    {entry}", ",")]
    return ["inputs = {", *lines, "}"]
