"""The kinds of inputs of models for images, audio, video and time series.

All inputs are random, with the shapes and types that the model would get from its processor. Shapes
come from the configuration of the model, so that they also fit published weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True)
class Kind:
    """A way to call models: the parameters it takes from the command line and the inputs."""

    inputs: Mapping[str, str]
    """The arguments and the expressions for them, in which ``$text`` and ``$vision`` are the
    configurations of these parts, and ``$dtype`` is empty unless the model is in bfloat16."""
    parameters: tuple[str, ...] = ("batch_size",)
    before: tuple[str, ...] = ()
    """Lines that the expressions depend on."""
    more: str = ""
    """Further arguments of the call."""


_IMAGE = ("batch_size", "height", "width")
_WORDS = ("batch_size", "max_seq_length")
_SOUND = ("batch_size", "max_audio_seq_length")

_IDS = "torch.randint(0, $text.vocab_size, (batch_size, max_seq_length))"
_TEXT = {
    "input_ids": _IDS,
    "attention_mask": "torch.ones(batch_size, max_seq_length, dtype=torch.long)",
}
_MIXED = {"input_ids": "input_ids", "attention_mask": "torch.ones_like(input_ids)"}
"""Token ids with placeholders for an image or audio."""
_FREE = {"pixel_values": "torch.rand(batch_size, 3, height, width$dtype)"}
_SQUARE = {"pixel_values": "torch.rand(batch_size, 3, size, size$dtype)"}
_SIZE = ("size = $vision.image_size",)
_VIDEO = "torch.rand(batch_size, $vision.num_frames, 3, size, size)"
_CLIP = "torch.rand(batch_size, 8, 3, size, size$dtype)"
_WAVE = "torch.randn(batch_size, max_audio_seq_length$dtype)"
_CODEC = "torch.randn(batch_size, 1, max_audio_seq_length$dtype)"
_FRAMES = ("frames = max_audio_seq_length // 160",)
"""The frames of a spectrogram with one every 10 ms, at 16,000 samples per second."""
_HEARD = "torch.ones(batch_size, frames, dtype=torch.long)"
_UNCACHED = "use_cache=False"


def _spectrogram(bins: str, name: str = "input_features", **others: str) -> Kind:
    """Audio of any length, with further inputs."""
    inputs = {name: f"torch.randn(batch_size, frames, {bins}$dtype)", **others}
    words = ("max_seq_length",) if _IDS in others.values() else ()
    return Kind(inputs, (*_SOUND, *words), _FRAMES, _UNCACHED if words else "")


def _window(frames: str, **others: str) -> Kind:
    """Transposed spectrograms, with one column per frame."""
    inputs = {"input_features": "torch.randn(batch_size, $audio.num_mel_bins, frames$dtype)"}
    parameters: tuple[str, ...] = _SOUND if "max_audio_seq_length" in frames else ("batch_size",)
    words = ("max_seq_length",) if _IDS in others.values() else ()
    before = (f"frames = {frames}",)
    return Kind(inputs | others, (*parameters, *words), before, _UNCACHED if words else "")


_HALF_A_MINUTE = "2 * $audio.max_source_positions"


def _places(count: str, token: str = "config.image_token_id", text: str = "") -> tuple[str, ...]:
    """Lines that create token ids with placeholders for an image or audio before the text.

    Ids of text are below that of the placeholder, unless that is one of the first ids.
    """
    return (
        f"places = torch.full((batch_size, {count}), {token})",
        f"text = torch.randint({text or f'0, {token}'}, (batch_size, max_seq_length))",
        "input_ids = torch.cat([places, text], dim=1)",
    )


_LATE_IDS = "config.image_token_id + 1, $text.vocab_size"
"""Ids of text if the id of the image placeholder is one of the first."""
_SIDE = "(size // $vision.patch_size)"


def _image_in_text(
    count: str,
    before: tuple[str, ...] = _SIZE,
    pixels: str = "torch.rand(batch_size, 3, size, size$dtype)",
    text: str = "",
    **others: str,
) -> Kind:
    """Images whose features replace placeholders in the text."""
    lines = (*before, *_places(count, text=text))
    return Kind(_MIXED | {"pixel_values": pixels} | others, _WORDS, lines, _UNCACHED)


def _sound_in_text(
    count: str,
    before: tuple[str, ...],
    features: str,
    parameters: tuple[str, ...] = _SOUND,
    **others: str,
) -> Kind:
    """Audio whose features replace placeholders in the text."""
    lines = (*before, *_places(count, "config.audio_token_id"))
    inputs = _MIXED | {"input_features": features} | others
    return Kind(inputs, (*parameters, "max_seq_length"), lines, _UNCACHED)


_GRID = (
    "rows, columns = height // $vision.patch_size, width // $vision.patch_size",
    "count = batch_size * rows * columns",
)
_GRIDS = "torch.tensor([[1, rows, columns]] * batch_size)"


def _patches(name: str, patch: str, **others: str) -> Kind:
    """Images cut into patches in one long list, with normalised values."""
    before = (*_GRID, f"patch = {patch}")
    inputs = {name: "torch.randn(count, patch$dtype)", "grid_thw": _GRIDS, **others}
    return Kind(inputs, _IMAGE, before)


_MERGED = "rows * columns // $vision.spatial_merge_size**2"
_MARKED = "(input_ids == config.image_token_id).long()"
"""The mask of the tokens that are image placeholders."""


def _patches_in_text(patch: str, text: str = "") -> Kind:
    """The same, with features that replace placeholders in the text."""
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
"""Queries for the part that summarises an image."""

_POSITIONED = (
    *_GRID[:1],
    "positions = torch.cartesian_prod(torch.arange(rows), torch.arange(columns))",
)
"""Patches with their positions in the image."""

KINDS: Mapping[str, Kind] = {
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
    "listed_image_and_point": Kind(
        {**_SQUARE, "input_points": "size * torch.rand(batch_size, 1, 1, 2)"},
        before=("size = $vision.image_size[0]",),
    ),
    "image_and_example": Kind(
        dict.fromkeys(
            ("pixel_values", "prompt_pixel_values", "prompt_masks"),
            "torch.rand(batch_size, 3, size, size)",
        ),
        before=("size = config.image_size[1]",),
    ),
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
    "stacked_spectrogram": _spectrogram("4 * $audio.num_mel_bins"),
    "stacked_masked_spectrogram": Kind(
        {
            "input_features": "torch.randn(batch_size, frames, config.input_size)",
            "input_features_mask": _HEARD,
        },
        _SOUND,
        ("frames = max_audio_seq_length // 960",),
    ),
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
    "chunks": _window("max_audio_seq_length // 16000 * 100", input_features_mask=_HEARD),
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
            "start = torch.full((batch_size, 1), 101)",
            "end = torch.tensor([1012, 102]).repeat(batch_size, 1)",
            "words = torch.randint(1996, $text.vocab_size, (batch_size, max_seq_length - 3))",
            "input_ids = torch.cat([start, words, end], dim=1)",
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
            'fewer = int(config.downsample_mode.removesuffix("x"))',
            *_places("rows * columns // fewer"),
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
    "plain_patches_in_text": _image_in_text(
        "side**2",
        before=("side = config.image_size // config.patch_size",),
        pixels="torch.rand(batch_size, side**2, 3 * config.patch_size**2$dtype)",
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
